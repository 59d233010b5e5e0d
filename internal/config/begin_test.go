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
	if _, b, _ := begun(t, false); len(b.Chosen) != 2 || !strings.Contains(b.Chosen[1], "api.subject: required (") || !strings.HasPrefix(b.Chosen[0], "privacy.answers: inside (only this site's own people and users see what it answers; ") {
		t.Errorf("without any, %q is chosen", b.Chosen)
	}
}

// TestOneSettingMakesALearnerByFeatures: its protocol, noise and rules, a share of random decisions for evaluation, and as
// many numbers as the names make.
func TestOneSettingMakesALearnerByFeatures(t *testing.T) {
	for answers, learner := range map[string]string{Anyone: "linucb", Inside: "personalized-linear"} {
		set := []string{"features.context=[hour=0..24, device=mobile|desktop]"}
		if answers == Anyone {
			set = append(set, "privacy.answers=anyone")
		}
		c, b, problems := begun(t, false, set...)
		if len(problems) > 0 {
			t.Error(problems)
		}
		features, context := "learner."+learner+".features", "learner."+learner+".context"
		for key, want := range map[string]string{
			"learner.name": learner, features: "3", context: "3", "learner." + learner + ".map": "outer", "learner.explore": "0.05",
			"protocol.name": "batch", "privacy.mechanism": "each-gaussian", "privacy.delta": "1e-06", "privacy.horizon": "0", "api.min_exposures": "0", "spare_arms": "0",
		} {
			if got := ValueText(c.Value(key).Interface()); got != want {
				t.Errorf("%s: %s, want %s", key, got, want)
			}
			if derived := key == features || key == context || key == horizonKey; derived == slices.ContainsFunc(b.Chosen, func(x string) bool { return strings.HasPrefix(x, key+":") }) {
				t.Errorf("%s, chosen: %q", key, b.Chosen)
			}
		}
		// What the noise of all decisions asks for is not for a site that gives few.
		if first := slices.ContainsFunc(b.Chosen, func(x string) bool { return strings.HasPrefix(x, "protocol.batch.first:") }); c.Privacy.Answers != answers || first != (answers == Anyone) {
			t.Errorf("%s, not %s: %q", c.Privacy.Answers, answers, b.Chosen)
		}
	}
}

// TestANewFolderDemandsUsers: a site that begins or joins says so, with what a returning user costs; a folder from before does not have the
// key, and its decisions may name nobody, and so may a simulated world's.
func TestANewFolderDemandsUsers(t *testing.T) {
	for _, joins := range []bool{false, true} {
		c, b, _ := begun(t, joins)
		said := strings.Join(b.Chosen, "\n")
		if c.API.Subject != Required || !strings.Contains(said, "a returning user counts once in the site's whole life, or k times with privacy.records_per_user: k and k times the noise") {
			t.Errorf("joins %v: %q; chosen: %s", joins, c.API.Subject, said)
		}
	}
	if c, _, _ := begun(t, false, "api.subject=optional"); c.API.Subject == Required {
		t.Error("what was given is not kept")
	}
	if c, _, err := Site().Read("", []string{"arms=a,b", "privacy.epsilon=1"}); err != nil || c.API.Subject == Required {
		t.Errorf("a folder without the key: %q, %v", c.API.Subject, err)
	}
}

// TestWhoMaySeeAnswersIsChosen: a new folder keeps decisions where it can, unless something else is given. A configuration
// without the key gives all.
func TestWhoMaySeeAnswersIsChosen(t *testing.T) {
	for set, want := range map[string]string{
		"learner.name=personalized": Inside, "protocol.name=phases": Inside, "learner.name=personalized-linear": Inside, "privacy.counts=public": Inside, "api.shadow=propose": Inside,
		"privacy.answers=anyone": Anyone, "learner.name=linucb": Anyone, "learner.name=imed": Anyone, "protocol.name=rows": Anyone,
	} {
		for _, joins := range []bool{false, true} {
			c, b, _ := begun(t, joins, set)
			if said := slices.ContainsFunc(b.Chosen, func(x string) bool { return strings.HasPrefix(x, "privacy.answers: "+want) }); c.Privacy.Answers != want || said == (set == "privacy.answers=anyone") {
				t.Errorf("%s, joins %v: %s, want %s; chosen: %q", set, joins, c.Privacy.Answers, want, b.Chosen)
			}
		}
	}
	if c, _, problems := begun(t, false, "privacy.counts=noised", "privacy.horizon=1000"); c.Privacy.Answers != Anyone || len(problems) > 0 {
		t.Error(c.Privacy.Answers, problems)
	}
	if c, _, problems := begun(t, false, "learner.name=linucb", "api.shadow=learn"); c.Privacy.Answers != Anyone || len(problems) > 0 {
		t.Error(c.Privacy.Answers, problems)
	}
	if c, _, err := Site().Given([]string{"arms=a,b", "privacy.epsilon=1"}); err != nil || c.Privacy.Answers != Anyone {
		t.Error(c.Privacy.Answers, err)
	}
}

// TestNothingGivenIsSaid: with the number of sites from which something is given.
func TestNothingGivenIsSaid(t *testing.T) {
	for set, want := range map[string]string{
		"give.sites=2": "with give.sites: 2 and 7 actions, spare ones included, no decision is given, and joining cannot pay; some are given from 7 sites on",
		"give.sites=7": "", "privacy.answers=anyone": "", "features.context=[hour=0..24]": "",
		"spare_arms=100": "with give.sites: 10 and 103 actions, spare ones included, no decision is given, and joining cannot pay; take fewer actions",
	} {
		if c, _, _ := begun(t, false, set); c.NothingGiven() != want {
			t.Errorf("%s: %q, want %q", set, c.NothingGiven(), want)
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
