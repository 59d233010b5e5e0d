package evaluation

import (
	"fmt"
	"slices"
	"strings"

	"peerd.dev/internal/terminal"
)

// warn says where the log does not allow an estimate, and which setting would.
func (r *Report) warn(o Options, f *survey) {
	r.Warnings = []string{}
	say := func(format string, args ...any) { r.Warnings = append(r.Warnings, fmt.Sprintf(format, args...)) }
	fix := "set learner.explore, such as to 0.05, at this site: decisions from then on have propensities below 1"
	if o.Explore > 0 {
		fix = fmt.Sprintf("learner.explore is %v at this site: decisions made with it have propensities below 1, so wait for more of them", o.Explore)
	}
	if r.Application {
		fix = "the application has to choose among actions at random, at least in some decisions, and report the propensity; learner.explore does not change what it does"
	}
	n := terminal.Number
	if r.Certain > 0 {
		whole := "They are left out of all estimates except of what ran"
		if r.Weighted == 0 {
			whole = "So nothing can be said of other policies"
		}
		say("%s have a propensity of 1: no other action was possible. %s; %s.", counted(r.Certain), whole, fix)
	}
	if r.Unscored > 0 {
		say("%s have no propensity, since their learner computes none, and are left out; %s.", counted(r.Unscored), fix)
	}
	if r.Ruled > 0 {
		say("%s followed rules of the site, such as api.min_exposures, that left no other action: they are left out of all estimates except of what ran.", counted(r.Ruled))
	}
	if r.KeptCertain > 0 {
		say("%s with a propensity of 1 were kept: the estimates of other policies are of those that were given to the network, and of kept ones in which another action was possible.", counted(r.KeptCertain))
	}
	if f.unknown > 0 {
		say("%s were made by an earlier release, which did not keep what was on offer, and are left out.", counted(f.unknown))
	}
	if len(f.chances) > 0 && !f.learned {
		say("What the peer proposed has no line: it has learned nothing from which a proposal follows, and proposed by the same probabilities from the first decision to the last.")
	}
	var few, alike, misstated []string
	for _, e := range r.Estimates[1:] {
		switch {
		case e.Decisions == 0:
		case e.misstated:
			misstated = append(misstated, fmt.Sprintf("%s (%.2g)", e.Policy, e.Weight))
		case !(e.Effective >= leastEffective):
			few = append(few, e.Policy)
		case e.DR == nil:
			say("%s: its weights have a mean of %.2f and not of 1, so in about %.0f %% of the decisions it takes actions that were not possible: no estimate; %s.",
				e.Policy, e.Weight, 100*(1-e.Weight), more(o, r.Application))
		case e.DR.High == e.DR.Low || e.SNIPS.High == e.SNIPS.Low:
			alike = append(alike, e.Policy)
		}
	}
	if len(few) > 0 {
		say("No estimate of %s: the decisions that can be weighted are worth fewer than %d of the policy's own (WORTH); %s.", listed(few), leastEffective, more(o, r.Application))
	}
	if len(misstated) > 0 {
		say("No estimate of %s: in brackets is the mean of their weights, which is 1 with right propensities. So the application did not choose with the propensities that it stated: the right ones are about that many times as large. A mean below 1 can also come from decisions in which these actions could not be taken.", listed(misstated))
	}
	if len(alike) > 0 {
		say("All rewards of %s are alike, so the interval is too short.", listed(alike))
	}
	if t := o.Table; t != nil {
		for _, a := range t.Actions {
			if _, known := f.names[a.Name]; !known {
				say("%s: neither the network nor any decision has an action %q, so its weight counts for nothing; is the name right?", t.name(), a.Name)
			}
		}
		if !slices.ContainsFunc(r.Estimates, func(e Estimate) bool { return e.Policy == t.name() }) {
			say("%s: none of its actions was on offer in a decision that can be weighted; are the names right?", t.name())
		}
	}
	if left := len(f.offered) - mostFixed; left > 0 {
		say("%s more have no line: the %d actions that were on offer most often have. --policy takes a table with the weight of one action.", n(uint64(left)), mostFixed)
	}
	if r.Unreported > 0 {
		say("%s got no reward in time, and count with api.default_reward.", counted(r.Unreported))
	}
	if r.Late != nil {
		say("%s got a reward too late, which did not count. With api.window: %s or longer 90 %% of these would have.", counted(r.Late.Reports), r.Late.Window)
	}
}

// more says which setting gives a policy more weight.
func more(o Options, application bool) string {
	if application {
		return "wait for more decisions, or let the application take these actions more often"
	}
	if o.Explore > 0 {
		return fmt.Sprintf("wait for more decisions, or set learner.explore above %v at this site", o.Explore)
	}
	return "set learner.explore, such as to 0.05, at this site"
}

// listed joins names, of which it shows three.
func listed(names []string) string {
	const most = 3
	if more := len(names) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), more)
	}
	return strings.Join(names, ", ")
}

func counted(n uint64) string {
	if n == 1 {
		return "1 decision"
	}
	return terminal.Number(n) + " decisions"
}
