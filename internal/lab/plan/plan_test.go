package plan_test

import (
	"strings"
	"testing"

	"peerd.dev/internal/config"
	"peerd.dev/internal/lab/plan"
)

func TestTheNearestKeyIsMeant(t *testing.T) {
	for name, want := range map[string]string{
		"privacy.epsilom":          "privacy.epsilon",
		"privacy.records_pre_user": "privacy.records_per_user",
		"protocol.average.patence": "protocol.average.patience",
		"epsilon":                  "privacy.epsilon",
		"learner.consistency":      "protocol.average.consistency",
		"experiment.seed":          "experiment.seeds", // and not seed
		"mod":                      "mode",
		"world.mean":               "", // of bernoulli or of gaussian?
		"inflation":                "learner.thompson.inflation",
		"world.bernouli.means":     "world.bernoulli.means",
		"f":                        "", // of average or of rows?
		"colour":                   "",
	} {
		if got := plan.Schema().Nearest(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// TestKeysFollowTheirSection: a section stands once in a file.
func TestKeysFollowTheirSection(t *testing.T) {
	seen, last := make(map[string]bool), ""
	for _, k := range plan.Schema().Keys() {
		section, _, _ := strings.Cut(k.Section(), ".")
		if section != last && seen[section] {
			t.Errorf("%s stands apart from its section", k.Name)
		}
		seen[section], last = true, section
	}
}

// TestAnExperimentContainsASite: every key of a site is one of an experiment, with the same default, and no
// laboratory's key is a site's but the two that networks and folders know. Each is explained in a line.
func TestAnExperimentContainsASite(t *testing.T) {
	for _, k := range config.Site().Keys() {
		other, ok := plan.Schema().Find(k.Name)
		if !ok || other.Default != k.Default || other.Shared != k.Shared || other.Fixed != k.Fixed || other.Laboratory != k.Laboratory {
			t.Errorf("%+v\n%+v", k, other)
		}
		if k.Laboratory && k.Name != "mode" && k.Name != "world.kind" {
			t.Errorf("%s is of no use to a site", k.Name)
		}
	}
	for _, k := range plan.Schema().Keys() {
		if k.Doc == "" || k.Want() == "" || !strings.HasSuffix(k.Doc, ".") || strings.ContainsAny(k.Doc+k.Want()+k.Default+k.Example, "|\n") || k.Required() && k.Example == "" {
			t.Errorf("%+v", k)
		}
	}
	c, problems, err := plan.Schema().Read("", nil)
	if err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	for _, p := range c.Validate() {
		if k, ok := plan.Schema().Find(p.Key); !ok || !k.Required() {
			t.Error(p)
		}
	}
}
