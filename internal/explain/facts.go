package explain

import (
	"fmt"
	"strings"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/internal/config"
	"peerd.dev/node/site"
)

// A fact is something about users that others could learn.
type fact string

const (
	presence fact = "that a user was there"
	number   fact = "how many decisions there were"
	moment   fact = "in which round a decision was made"
	action   fact = "which action a user got"
	report   fact = "whether and when a reward was reported"
	feature  fact = "the features of a decision"
	reward   fact = "what a user's reward was"

	// With privacy.answers: inside the others are of given decisions.
	keeping fact = "anything of a kept decision, and that it was made: no release, message or count depends on it (privacy.answers: inside)"
)

// A standing says what others learn of a fact.
type standing string

const (
	public    standing = "public"    // exactly
	protected standing = "protected" // as far as noise lets them
	unseen    standing = "unseen"    // nothing: no release depends on it
	within    standing = "within"    // the same, but what the site answers does
)

// A claim is what a sentence of the page says of a fact. No two claims of a page differ in the standing of one.
type claim struct {
	of fact
	is standing
}

// standings returns what others learn of users with settings, in the order of the page.
func standings(s *config.Settings, charge dp.Charge) (all []claim) {
	byFeatures := bandit.TraitsOf(s.LearnerParams()).Contextual
	for _, f := range []fact{presence, number, moment, action, reward, feature, report} {
		is := public
		switch {
		case f == feature && !byFeatures || f == report && s.World.Kind != config.Application:
			continue
		case s.API.Shadow == site.ShadowPropose:
			is = unseen
		case charge.Mechanism == dp.None && f == reward:
		case s.Privacy.Counts == config.NoisedCounts, f == reward, f == feature, f == action && byFeatures, f == report && s.API.Settle != site.OnArrival:
			is = protected
		}
		all = append(all, claim{f, is})
	}
	if s.Privacy.Answers == config.Inside {
		all = append(all, claim{keeping, within})
	}
	return all
}

// An insideDoc is what a site that keeps decisions promises, in sentences.
type insideDoc struct {
	Given    string `json:"given,omitempty"`
	Kept     string `json:"kept"`
	Provided string `json:"provided"`
	Question string `json:"question"`
}

// insideOf returns the document of a site that keeps decisions, or nil.
func insideOf(s *config.Settings) *insideDoc {
	if s.Privacy.Answers != config.Inside {
		return nil
	}
	x := &insideDoc{
		Kept: "Kept: all other decisions. Nothing that this site sends depends on one of them, or on whether it was made. But those who see what this site answers, such as its staff and its users, can learn a user's reward from later answers, as at a site in no network.",
		Provided: "Provided that no one carries it out: whether and what an application offers in a given decision does not follow from answers to kept ones, and no one changes settings or the network because of numbers from inside. " +
			"Where an offer can follow, as from a stock, the application always sends keep: true, and not only when something is missing. " +
			"Anyone who sees the answers of two sites is inside both.",
		Question: "Does one program or person see the answers of several sites? If so, these are one site for what is kept: what is asked of one must not follow from what another answered.",
	}
	if s.API.Shadow != site.ShadowPropose {
		x.Given = fmt.Sprintf("Given to the network: at most %s of each user.", config.Counted(s.Privacy.RecordsPerUser, "decision"))
	}
	against := " No number is promised against them."
	if e := s.Privacy.Inside; e > 0 {
		against = fmt.Sprintf(" Against them the promise is ε = %s for each decision of a user, given or kept, in addition to the ε of what is sent (privacy.inside).", config.ValueText(e))
	}
	x.Kept += against
	return x
}

// given returns a text for a site that keeps decisions, and nothing for one that gives all.
func (d *Document) given(text string) string {
	if d.Inside == nil {
		return ""
	}
	return text
}

// with returns the facts with a standing.
func (d *Document) with(is standing) (texts []string, of []fact) {
	for _, c := range d.facts {
		if c.is == is {
			texts, of = append(texts, string(c.of)), append(of, c.of)
		}
	}
	return texts, of
}

// is returns the standing of a fact; "" if the page does not speak of it.
func (d *Document) is(f fact) standing {
	for _, c := range d.facts {
		if c.of == f {
			return c.is
		}
	}
	return ""
}

// A statement is an item of a list, with what it says of facts.
type statement struct {
	text   string
	claims []claim
}

func texts(all []statement) (list []string) {
	for _, x := range all {
		list = append(list, x.text)
	}
	return list
}

// publicThings lists what is released without noise.
func publicThings(s *config.Settings, d *Document) (list []statement) {
	add := func(text string, of ...fact) {
		x := statement{text: text}
		for _, f := range of {
			x.claims = append(x.claims, claim{f, public})
		}
		list = append(list, x)
	}
	if open, of := d.with(public); len(open) > 0 {
		add(d.given("of given decisions: ")+sentence(open, "and"), of...)
		if d.is(report) == public {
			add("with api.settle: arrival also "+shown(s), report)
		}
		counts := s.ProtocolParams().Words().Public
		if of = []fact{number}; strings.Contains(counts, "of every action") {
			of = append(of, action)
		}
		add(counts, of...)
	}
	switch d.is(action) {
	case public:
		add("in which order actions"+d.given(" of given decisions")+" were taken, since they follow from released numbers alone", action)
	case protected:
		if d.is(number) == public {
			add("which parts of the statistic choices"+d.given(" of given decisions")+" update, and how often each; actions follow from features and are no part of it", number)
		}
	case unseen, within:
	}
	add("that this site takes part, and the rounds in which its peer is up")
	add("when, to whom and how much the peer sends; these settings and the network file")
	return list
}

// protectedThings lists what is released with noise only, and what is not released.
func protectedThings(s *config.Settings, d *Document) (list []statement) {
	for _, is := range []standing{protected, unseen, within} {
		for _, c := range d.facts {
			if c.is != is {
				continue
			}
			text := string(c.of)
			if c.of == report && is == protected && s.API.Settle != site.OnArrival {
				text += fmt.Sprintf(": with api.settle: window, what was reported within %s counts at the end of that time, and what was not counts as %v", config.DurationText(s.API.Window), s.API.DefaultReward)
			}
			if is == unseen {
				text += ": no release, message or public count depends on it (api.shadow: propose)"
			}
			list = append(list, statement{text, []claim{c}})
		}
	}
	if s.World.Kind == config.Application {
		list = append(list, statement{text: "ids of decisions and subjects: they are in no message"})
	}
	return list
}
