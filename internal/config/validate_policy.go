package config

import (
	"fmt"
	"slices"
	"strings"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/node/site"
	"peerd.dev/protocol"
)

// policyConstraints are the rules of what a site adds to its learner: what an application takes, a baseline, and new actions.
func policyConstraints() []Constraint {
	contextual := func(s *Settings) bool { return bandit.TraitsOf(s.LearnerParams()).Contextual }
	return []Constraint{
		{[]string{"api.shadow", "privacy.counts", "learner.name"}, func(s *Settings) string { // Public counts would show what the application did.
			if s.API.Shadow != site.ShadowLearn || contextual(s) || s.Privacy.Counts == NoisedCounts {
				return ""
			}
			return fmt.Sprintf("want %s with %s, whose exact numbers would show all peers which action the application took for whom; or privacy.counts: %s, or a learner by features, with which what was taken is protected as a reward is", site.ShadowPropose, s.With("privacy.counts"), NoisedCounts)
		}},
		{[]string{"api.baseline", "api.shadow"}, func(s *Settings) string { // In the shadow of an application the peer chooses nothing.
			return When(s.API.Baseline != "" && s.API.Shadow != site.NoShadow,
				"want nothing with %s: the application chooses", s.With("api.shadow"))
		}},
		{[]string{"api.baseline", "arms", "learner.name"}, func(s *Settings) string { // The baseline is one of the actions.
			b := s.API.Baseline
			return When(b != "" && !contextual(s) && !slices.Contains(s.Arms, b), "want one of %s, or nothing", s.With("arms"))
		}},
		{[]string{"api.baseline_until", "api.baseline"}, func(s *Settings) string { // What loses its share has one.
			return When(s.API.BaselineUntil == BaselineBetter && s.API.Baseline == "",
				"want %s with %s", BaselineEver, s.With("api.baseline"))
		}},
		{[]string{"api.baseline_until", "protocol.name", "privacy.mechanism", "learner.name"}, func(s *Settings) string { // That another action is better is shown by own releases that add up.
			if s.API.BaselineUntil != BaselineBetter || s.API.Baseline == "" || s.showsBest() {
				return ""
			}
			if contextual(s) {
				return fmt.Sprintf("want %s with %s: by features no action is better than another for everyone", BaselineEver, s.With("learner.name"))
			}
			return fmt.Sprintf("want %s with %s and %s: it takes a protocol that states every site's own releases, such as phases, without a window, and noise of its own for each of them, to show that another action is better", BaselineEver, s.With("protocol.name"), s.With("privacy.mechanism"))
		}},
		{[]string{"api.baseline_until", "api.baseline_share"}, func(s *Settings) string { // Other actions are tried.
			return When(s.API.BaselineUntil == BaselineBetter && s.API.Baseline != "" && s.API.BaselineShare == 1 && s.showsBest(),
				"want %s with %s: no other action is ever tried, so nothing can show that one is better; set a share below 1", BaselineEver, s.With("api.baseline_share"))
		}},
		{[]string{"api.offer", "learner.name"}, func(s *Settings) string { // Actions by features come with every request.
			return When(len(s.API.Offer) > 0 && contextual(s),
				"want [] with %s: every request says what is on offer", s.With("learner.name"))
		}},
		{[]string{"privacy.answers", "learner.name", "protocol.name", "arms"}, func(s *Settings) string { // Sites that keep decisions weigh what each other site releases.
			if s.Privacy.Answers == Anyone {
				return ""
			}
			if err := s.checkGive(); err != nil {
				return fmt.Sprintf("want %s with %s and %s; %s", Anyone, s.With("learner.name"), s.With("protocol.name"), strings.TrimPrefix(err.Error(), "node: "))
			}
			return ""
		}},
		{[]string{"privacy.inside", "privacy.answers", "learner.name"}, func(s *Settings) string { // Own rewards get noise where decisions are kept, and without features.
			switch {
			case s.Privacy.Inside == 0:
				return ""
			case s.Privacy.Answers != Inside:
				return fmt.Sprintf("want 0 with %s: all decisions are given, and rewards get the noise of privacy.epsilon", s.With("privacy.answers"))
			case contextual(s):
				return fmt.Sprintf("want 0 with %s: what this noise costs by features is not measured yet", s.With("learner.name"))
			}
			return ""
		}},
		{[]string{"api.shadow", "privacy.answers"}, func(s *Settings) string { // In the shadow of an application a site that keeps decisions gives none.
			return When(s.API.Shadow == site.ShadowLearn && s.Privacy.Answers == Inside,
				"want %s with %s: the peer learns from what was taken with it, too, and nothing of it leaves the site", site.ShadowPropose, s.With("privacy.answers"))
		}},
		{[]string{"give.sites", "privacy.answers", "mode"}, func(s *Settings) string { // What is given does not follow from how many sites there are now.
			return When(s.Give.Sites == 0 && s.Privacy.Answers == Inside && s.Mode == Live,
				"want the number of sites to plan for, such as 10, with %s: batches stay as they are while a network grows", s.With("mode"))
		}},
		{[]string{"give.least", "protocol.name", "privacy.counts"}, (*Settings).unseenGifts}, // What is asked of members can be seen.
	}
}

// unseenGifts returns how to fix settings that ask members for rewards, although no peer sees how many each has released.
func (s *Settings) unseenGifts() string {
	p := s.ProtocolParams()
	if s.Give.Least == 0 || s.Privacy.Counts == PublicCounts && protocol.TraitsOf(p).Sites && p.Cadence().Window == 0 {
		return ""
	}
	return fmt.Sprintf("want 0 with %s and %s: to see how many rewards each member has released takes public counts and a protocol that keeps sites apart, such as phases, with merge: mean and no window", s.With("protocol.name"), s.With("privacy.counts"))
}

// showsBest reports whether a site's own releases can show which action is the best for its users.
func (s *Settings) showsBest() bool {
	m, err := dp.ParseMechanism(s.Privacy.Mechanism)
	if err != nil {
		return true // said elsewhere
	}
	statistic, err := s.Statistic()
	return err == nil && statistic.Kind == bandit.Sum && statistic.Dim == 1 && !m.Running() && s.Cadence().Window == 0 && protocol.TraitsOf(s.ProtocolParams()).Sites
}
