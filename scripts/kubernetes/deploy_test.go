// Package kubernetes checks the manifests of a site and the chart against the types of Kubernetes. It is a module of its own,
// so that they are no dependency of peerd's.
package kubernetes

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	"sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"peerd.dev/internal/require"
)

var update = flag.Bool("update", false, "write deploy/kubernetes from the chart")

// plain is what the chart renders with its defaults.
const plain = "../../deploy/kubernetes/site.yaml"

// helm runs Helm in the repository and returns what it prints.
func helm(t *testing.T, args ...string) (string, error) {
	t.Helper()
	cmd := exec.Command("go", append([]string{"run", "helm.sh/helm/v4/cmd/helm@v4.3.1"}, args...)...)
	cmd.Dir = "../.."
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := cmd.Output()
	if ended := new(exec.ExitError); errors.As(err, &ended) {
		err = fmt.Errorf("%w: %s", err, ended.Stderr)
	}
	return string(out), err
}

// render returns what the chart renders for a site.
func render(t *testing.T, args ...string) (string, error) {
	t.Helper()
	return helm(t, append([]string{"template", "hospital-b", "deploy/chart", "--set", "announce=/dns4/hospital-b.example/tcp/8471"}, args...)...)
}

// A site is what the documents of a site decode to.
type site struct {
	set      apps.StatefulSet
	services []core.Service
	traffic  *networking.NetworkPolicy
	budget   policy.PodDisruptionBudget
}

// decode decodes documents, in which all fields must be of their types and of which no kind is another.
func decode(text string) (s site, err error) {
	for doc := range strings.SplitSeq(text, "\n---\n") {
		var about struct{ APIVersion, Kind string }
		if err = yaml.Unmarshal([]byte(doc), &about); err != nil {
			return s, err
		}
		var to any
		switch about.APIVersion + " " + about.Kind {
		case "apps/v1 StatefulSet":
			to = &s.set
		case "v1 Service":
			s.services = append(s.services, core.Service{})
			to = &s.services[len(s.services)-1]
		case "networking.k8s.io/v1 NetworkPolicy":
			s.traffic = new(networking.NetworkPolicy)
			to = s.traffic
		case "policy/v1 PodDisruptionBudget":
			to = &s.budget
		default:
			return s, fmt.Errorf("%s %s is no document of a site", about.APIVersion, about.Kind)
		}
		asJSON, err := yaml.YAMLToJSONStrict([]byte(doc))
		if err != nil {
			return s, err
		}
		strange, err := json.UnmarshalStrict(asJSON, to) // as an API server decodes: the case of a letter counts
		if err = errors.Join(append(strange, err)...); err != nil {
			return s, fmt.Errorf("%s: %w", about.Kind, err)
		}
	}
	return s, nil
}

// flaws returns what is unsafe about a site.
func (s site) flaws() (all []string) {
	want := func(ok bool, what string) {
		if !ok {
			all = append(all, what)
		}
	}
	is := func(b *bool, value bool) bool { return b != nil && *b == value }
	spec, pod := s.set.Spec, s.set.Spec.Template.Spec
	want(spec.Replicas != nil && *spec.Replicas == 1, "replicas are not one")
	want(spec.PodManagementPolicy == apps.OrderedReadyPodManagement, "pods overlap")
	want(len(spec.VolumeClaimTemplates) == 1 && slices.Equal(spec.VolumeClaimTemplates[0].Spec.AccessModes, []core.PersistentVolumeAccessMode{core.ReadWriteOncePod}), "two pods can have the volume")
	want(spec.PersistentVolumeClaimRetentionPolicy != nil && spec.PersistentVolumeClaimRetentionPolicy.WhenDeleted == apps.RetainPersistentVolumeClaimRetentionPolicyType, "the folder goes with the site")
	want(pod.TerminationGracePeriodSeconds != nil && *pod.TerminationGracePeriodSeconds == 30, "no time to end")
	want(is(pod.AutomountServiceAccountToken, false), "a token of the cluster is mounted")
	want(is(pod.EnableServiceLinks, false), "services set variables")
	want(!pod.HostNetwork && !pod.HostPID && !pod.HostIPC, "the pod shares the node's namespaces")
	if c := pod.SecurityContext; c == nil {
		want(false, "the pod has no security context")
	} else {
		want(is(c.RunAsNonRoot, true) && c.RunAsUser != nil && *c.RunAsUser > 0, "the pod runs as root")
		want(c.SeccompProfile != nil && c.SeccompProfile.Type == core.SeccompProfileTypeRuntimeDefault, "no seccomp profile")
		want(c.FSGroup != nil && c.FSGroupChangePolicy != nil && *c.FSGroupChangePolicy == core.FSGroupChangeOnRootMismatch, "a start opens the folder to others")
	}
	for _, c := range slices.Concat(pod.InitContainers, pod.Containers) {
		if c.SecurityContext == nil {
			want(false, c.Name+" has no security context")
			continue
		}
		want(c.SecurityContext.RunAsUser == nil || *c.SecurityContext.RunAsUser > 0, c.Name+" runs as root")
		want(is(c.SecurityContext.ReadOnlyRootFilesystem, true), c.Name+" writes its root")
		want(is(c.SecurityContext.AllowPrivilegeEscalation, false), c.Name+" gains rights")
		want(c.SecurityContext.Capabilities != nil && slices.Contains(c.SecurityContext.Capabilities.Drop, "ALL"), c.Name+" keeps rights")
	}
	health := func(p *core.Probe, command ...string) bool {
		return p != nil && p.Exec != nil && slices.Equal(p.Exec.Command, append([]string{"/usr/bin/peerd", "health"}, command...)) && p.TimeoutSeconds > 5
	}
	peer := pod.Containers[0]
	want(health(peer.StartupProbe) && health(peer.LivenessProbe), "a peer is restarted for what a restart does not help")
	want(health(peer.ReadinessProbe, "--ready"), "no readiness")
	want(len(s.services) == 2, "two services are wanted")
	for _, v := range s.services {
		want(v.Spec.PublishNotReadyAddresses, v.Name+" hides a peer that waits for those who dial it")
		want(len(v.Spec.Ports) == 1 && v.Spec.Ports[0].TargetPort.StrVal == "peers", v.Name+" exposes more than the port for peers")
	}
	want(slices.ContainsFunc(s.services, func(v core.Service) bool {
		return v.Name == spec.ServiceName && v.Spec.ClusterIP == core.ClusterIPNone
	}), "the pod has no name")
	want(s.traffic != nil && len(s.traffic.Spec.PolicyTypes) == 2 && len(s.traffic.Spec.Ingress) == 1 &&
		len(s.traffic.Spec.Ingress[0].Ports) == 1 && s.traffic.Spec.Ingress[0].Ports[0].Port.StrVal == "peers", "more than the port for peers is let in")
	want(s.budget.Spec.MaxUnavailable != nil && s.budget.Spec.MaxUnavailable.IntValue() == 1, "no budget for disruptions")
	return all
}

// TestASiteIsSafe: the manifests are what the chart renders, decode strictly and have no flaw; and each flaw is found.
func TestASiteIsSafe(t *testing.T) {
	if out, err := helm(t, "lint", "--strict", "deploy/chart", "--set", "announce=/dns4/x/tcp/1"); err != nil {
		t.Fatal(out, err)
	}
	text, err := render(t)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		require.NoError(t, os.WriteFile(plain, []byte(text), 0o600))
	}
	if golden, wrong := os.ReadFile(plain); wrong != nil || !bytes.Equal(golden, []byte(text)) {
		t.Errorf("%s is not what the chart renders (%v): run go test -run TestASiteIsSafe -update", plain, wrong)
	}
	s, err := decode(text)
	if flaws := s.flaws(); err != nil || len(flaws) > 0 {
		t.Fatal(err, flaws)
	}
	if join := s.set.Spec.Template.Spec.InitContainers[0].Args; !slices.Contains(join, "--once") || !slices.Contains(join, "@/run/peerd/token") {
		t.Error(join)
	}
	for _, c := range []struct{ was, is, want string }{
		{"replicas: 1", "replica: 1", `unknown field "spec.replica"`},
		{"replicas: 1", "replicas: 2", "replicas are not one"},
		{"replicas: 1", "replicas: 0", "replicas are not one"},
		{"  replicas: 1\n", "", "replicas are not one"},
		{"kind: StatefulSet", "kind: Deployment", "apps/v1 Deployment is no document of a site"},
		{"ReadWriteOncePod", "ReadWriteOnce", "two pods can have the volume"},
		{"whenDeleted: Retain", "whenDeleted: Delete", "the folder goes with the site"},
		{"OrderedReady", "Parallel", "pods overlap"},
		{"runAsUser: 65532", "runAsUser: 0", "the pod runs as root"},
		{"runAsNonRoot: true", "runAsNonRoot: false", "the pod runs as root"},
		{"readOnlyRootFilesystem: true", "readOnlyRootFilesystem: true\n            runAsUser: 0", "join runs as root"},
		{"readOnlyRootFilesystem: true", "readOnlyRootFilesystem: false", "join writes its root"},
		{"drop: [ALL]", "drop: [KILL]", "join keeps rights"},
		{"allowPrivilegeEscalation: false", "allowPrivilegeEscalation: true", "join gains rights"},
		{"type: RuntimeDefault", "type: Unconfined", "no seccomp profile"},
		{"OnRootMismatch", "Always", "a start opens the folder to others"},
		{"automountServiceAccountToken: false", "automountServiceAccountToken: true", "a token of the cluster is mounted"},
		{"enableServiceLinks: false", "enableServiceLinks: true", "services set variables"},
		{"publishNotReadyAddresses: true", "publishNotReadyAddresses: false", "hospital-b-pod hides a peer"},
		{"livenessProbe:\n            exec: {command: [/usr/bin/peerd, health]}", "livenessProbe:\n            exec: {command: [/usr/bin/peerd, health, --ready]}", "a peer is restarted"},
		{"livenessProbe:\n            exec: {command: [/usr/bin/peerd, health]}", "livenessProbe:\n            httpget: {path: /healthz}", `unknown field "spec.template.spec.containers[0].livenessProbe.httpget"`},
		{"- {port: peers, protocol: TCP}", "- {port: peers, protocol: TCP}\n        - {port: 8470, protocol: TCP}", "more than the port for peers"},
		{"targetPort: peers", "targetPort: 8470", "exposes more"},
		{"maxUnavailable: 1", "maxUnavailable: 0", "no budget"},
	} {
		changed := strings.Replace(text, c.was, c.is, 1)
		s, err := decode(changed)
		found := fmt.Sprint(err)
		if err == nil {
			found = fmt.Sprint(s.flaws())
		}
		if changed == text || !strings.Contains(found, c.want) {
			t.Errorf("%q in place of %q: %s", c.is, c.was, found)
		}
	}
}

// TestValues: other values render other sites that are as safe, and a value that there is none of is refused by name.
func TestValues(t *testing.T) {
	text := require.Value(render(t, "--set", "found.enabled=true,found.settings={privacy.epsilon=1}", "--set-string", `found.settings[1]=arms=[a\, b]`, "--set", "storage.className=fast,storage.size=1Gi",
		"--set", "image.digest=sha256:"+strings.Repeat("a", 64), "--set", "resources.limits.memory=2Gi", "--set", "service.type=ClusterIP", "--set", "sidecars[0].name=app,sidecars[0].image=x",
		"--set", "sidecars[0].securityContext.readOnlyRootFilesystem=true,sidecars[0].securityContext.allowPrivilegeEscalation=false,sidecars[0].securityContext.capabilities.drop={ALL}"))(t)
	s, err := decode(text)
	if flaws := s.flaws(); err != nil || len(flaws) > 0 {
		t.Fatal(err, flaws)
	}
	pod := s.set.Spec.Template.Spec
	if len(pod.InitContainers) != 2 || !slices.Equal(pod.InitContainers[0].Args, []string{"init", "--once", "--set", "listen=[/ip4/0.0.0.0/tcp/8471]", "--set", "privacy.epsilon=1", "--set", "arms=[a, b]"}) ||
		!slices.Equal(pod.InitContainers[1].Args, []string{"network", "new", "--once", "--name", "clinics", "--peer", "hospital-a", "--addr", "/dns4/hospital-b.example/tcp/8471"}) {
		t.Errorf("%+v", pod.InitContainers)
	}
	claim := s.set.Spec.VolumeClaimTemplates[0].Spec
	if *claim.StorageClassName != "fast" || claim.Resources.Requests.Storage().String() != "1Gi" || pod.Containers[0].Resources.Limits.Memory().String() != "2Gi" ||
		!strings.HasSuffix(pod.Containers[0].Image, "/peerd@sha256:"+strings.Repeat("a", 64)) || len(pod.Containers) != 2 || len(pod.Volumes) != 0 {
		t.Errorf("%+v %+v", claim, pod)
	}
	for value, want := range map[string]string{"replicas=2": "replicas", "join.token=x": "token", "announce=": "announce: want the address", "found.settings={arms}": "settings", "service.type=Ingress": "type"} {
		if text, err = render(t, "--set", value); err == nil || !regexp.MustCompile(want).MatchString(err.Error()) {
			t.Errorf("--set %s: %v", value, err)
		}
	}
}
