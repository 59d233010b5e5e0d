package config

import (
	"slices"
	"strings"
	"testing"
)

// begun returns the settings of a new folder, and what is wrong with them.
func begun(t *testing.T, joins bool, set ...string) (*Config, Beginning, []Problem) {
	t.Helper()
	set = append([]string{"arms=a,b,c", "privacy.epsilon=1"}, set...)
	b := Site().Beginning(set, joins)
	c, _, err := Site().Given(append(b.Set, set...))
	if err != nil {
		t.Fatalf("%q: %v", set, err)
	}
	return c, b, c.Validate()
}

// TestANewFolderHasWhatSuitsEachOther: whichever of the settings that must suit each other is given, the others suit it,
// except for a horizon, which only people can choose. What was chosen for that is said, with the reason.
func TestANewFolderHasWhatSuitsEachOther(t *testing.T) {
	sets := []string{"features.context=[hour=0..24]", "features.action=[price=0..1]", "privacy.counts=noised", "privacy.delta=0.000001", "api.min_exposures=0", "spare_arms=0"}
	for _, l := range Site().with.Learners {
		sets = append(sets, "learner.name="+l.Words().Name)
	}
	for _, p := range Site().with.Protocols {
		sets = append(sets, "protocol.name="+p.Words().Name)
	}
	for _, m := range []string{"each", "each-gaussian", "kary", "blt"} {
		sets = append(sets, "privacy.mechanism="+m)
	}
	for _, set := range sets {
		_, b, problems := begun(t, false, set)
		for _, p := range problems {
			if p.Key != horizonKey {
				t.Errorf("%s: %v; chosen: %q", set, p, b.Chosen)
			}
		}
		for _, x := range b.Chosen {
			key, _, _ := strings.Cut(x, ":")
			if strings.HasPrefix(set, key+"=") || !strings.HasSuffix(x, ")") {
				t.Errorf("%s: chosen: %s", set, x)
			}
		}
	}
	if _, b, _ := begun(t, false); b.Chosen != nil {
		t.Errorf("without any, %q is chosen", b.Chosen)
	}
}

// TestOneSettingMakesALearnerByFeatures: its protocol, noise and rules, a share of random decisions for evaluation, and as
// many numbers as the names make.
func TestOneSettingMakesALearnerByFeatures(t *testing.T) {
	c, b, problems := begun(t, false, "features.context=[hour=0..24, device=mobile|desktop]")
	if len(problems) > 0 {
		t.Error(problems)
	}
	for key, want := range map[string]string{
		"learner.name": "linucb", "learner.linucb.features": "3", "learner.linucb.context": "3", "learner.linucb.map": "outer", "learner.explore": "0.05",
		"protocol.name": "batch", "privacy.mechanism": "each-gaussian", "privacy.delta": "1e-06", "privacy.horizon": "0", "api.min_exposures": "0", "spare_arms": "0",
	} {
		if got := ValueText(c.Value(key).Interface()); got != want {
			t.Errorf("%s: %s, want %s", key, got, want)
		}
		if derived := key == "learner.linucb.features" || key == "learner.linucb.context" || key == horizonKey; derived == slices.ContainsFunc(b.Chosen, func(x string) bool { return strings.HasPrefix(x, key+":") }) {
			t.Errorf("%s, chosen: %q", key, b.Chosen)
		}
	}
}

// TestAJoiningSiteTakesTheNetworksSettings: with what all share, nothing shared is chosen, and what is the site's own suits it.
func TestAJoiningSiteTakesTheNetworksSettings(t *testing.T) {
	for _, set := range []string{"features.context=[hour=0..24, device=mobile|desktop]", "learner.name=linucb", "privacy.counts=noised", "protocol.name=rows"} {
		founder, _, _ := begun(t, false, set, "privacy.horizon=1000")
		var shared []string
		for _, x := range founder.SharedSettings() {
			shared = append(shared, x.Key+"="+x.Value)
		}
		joined, b, problems := begun(t, true, shared...)
		if len(problems) > 0 {
			t.Errorf("%s: %v", set, problems)
		}
		if joined.Learner.Explore != founder.Learner.Explore || joined.API.MinExposures != founder.API.MinExposures {
			t.Errorf("%s: explores %v, with %d exposures", set, joined.Learner.Explore, joined.API.MinExposures)
		}
		if !slices.Equal(founder.SharedSettings(), joined.SharedSettings()) {
			t.Errorf("%s: %v is shared, %v with the founder; chosen: %q", set, joined.SharedSettings(), founder.SharedSettings(), b.Chosen)
		}
	}
}
