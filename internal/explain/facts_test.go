package explain

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/internal/config"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/internal/require"
	"peerd.dev/node/site"
)

// combinations lists settings that change what is public, alone and together.
func combinations() (all [][]string) {
	all = [][]string{nil}
	for _, values := range [][]string{
		{"api.settle=arrival"},
		{"privacy.counts=noised"},
		{"api.shadow=propose", "api.shadow=learn"},
		{"learner.name=thompson", "learner.name=personalized"},
		{
			"privacy.answers=inside protocol.name=phases learner.name=personalized", "privacy.answers=inside learner.name=personalized-linear",
			"privacy.answers=inside privacy.inside=8 protocol.name=phases learner.name=personalized privacy.records_per_user=3",
		},
	} {
		for _, c := range slices.Clone(all) {
			for _, v := range values {
				all = append(all, append(slices.Clone(c), strings.Fields(v)...))
			}
		}
	}
	return all
}

// TestNoPageContradictsItself: over all configurations, and combinations of settings of three, no two sentences of a page give a fact two
// standings, and the standings are those that follow from the program's own answers.
func TestNoPageContradictsItself(t *testing.T) {
	files := require.Value(filepath.Glob("../../configs/*.yaml"))(t)
	dir := t.TempDir()
	pages, seen, pairs := 0, make(map[claim]int), make(map[string]bool)
	for _, file := range files {
		sets := [][]string{nil}
		if slices.Contains([]string{"application.yaml", "contextual.yaml", "rows.yaml"}, filepath.Base(file)) {
			sets = append(sets, combinations()...)
		}
		for _, set := range sets {
			if set != nil {
				set = append(set, "world.kind=application", "api.min_exposures=0")
			}
			c, err := plan.Schema().Load(file, append([]string{"dir=" + dir}, set...))
			if err != nil {
				continue // refused together, or no configuration
			}
			key := pageKey(&c.Settings)
			if pairs[key] {
				continue // a page of this kind was read
			}
			pairs[key] = true
			c.Privacy.Horizon, c.Privacy.Epsilon = min(c.Privacy.Horizon, 400), max(c.Privacy.Epsilon, 8) // predictions of much noise take long
			doc, err := New(c, time.Time{})
			if err != nil {
				t.Errorf("%s %v: %v", file, set, err)
				continue
			}
			pages++
			is := make(map[fact]standing)
			p := doc.page(&c.Settings)
			for _, x := range slices.Concat(doc.facts, p.claims) {
				seen[x]++
				if was, ok := is[x.of]; ok && was != x.is {
					t.Errorf("%s %v: %q is %s and %s", file, set, x.of, was, x.is)
				}
				is[x.of] = x.is
			}
			if doc.Mechanism == nil {
				continue
			}
			for f, want := range wanted(t, &c.Settings) {
				if is[f] != want {
					t.Errorf("%s %v: %q is %q, want %q", file, set, f, is[f], want)
				}
			}
			checkText(t, file, &c.Settings, doc, p)
		}
	}
	if pages < 45 {
		t.Errorf("%d pages", pages)
	}
	t.Logf("%d pages; %v", pages, seen)
	for _, x := range []claim{
		{presence, public},
		{presence, protected},
		{presence, unseen},
		{action, public},
		{action, protected},
		{report, public},
		{report, protected},
		{feature, protected},
		{reward, protected},
		{reward, unseen},
		{keeping, within},
	} {
		if seen[x] == 0 {
			t.Errorf("no page says that %q is %s", x.of, x.is)
		}
	}
}

// pageKey has what the sentences of a page depend on.
func pageKey(s *config.Settings) string {
	values := s.Values()
	return strings.Join([]string{
		values["mode"], values["privacy.counts"], values["privacy.mechanism"], values["privacy.adjacency"], values["learner.name"], values["protocol.name"],
		values["world.kind"], values["api.settle"], values["api.shadow"], values["api.reward"], values["privacy.answers"], values["privacy.inside"],
	}, " ")
}

// wanted returns the standings that follow from learner and charge.
func wanted(t *testing.T, s *config.Settings) map[fact]standing {
	t.Helper()
	charge := require.Value(s.Charge())(t)
	learner := bandit.TraitsOf(s.LearnerParams())
	want := map[fact]standing{presence: public, number: public, moment: public, action: public, reward: protected}
	if learner.Contextual {
		want[feature], want[action] = protected, protected
	}
	if s.World.Kind == config.Application {
		if want[report] = protected; s.API.Settle == site.OnArrival {
			want[report] = public
		}
	}
	if s.Privacy.Answers == config.Inside {
		want[keeping] = within
	}
	for f := range want {
		switch {
		case f == keeping:
		case s.API.Shadow == site.ShadowPropose:
			want[f] = unseen
		case charge.Adjacency == dp.AddOrRemove:
			want[f] = protected
		}
	}
	return want
}

// checkText looks for the sentences that once contradicted each other.
func checkText(t *testing.T, file string, s *config.Settings, doc *Document, p *sections) {
	t.Helper()
	var b strings.Builder
	for _, x := range p.all {
		b.WriteString(x.Title + "\n")
		for _, block := range x.Blocks {
			b.WriteString(block.Text + "\n")
		}
	}
	text := b.String()
	says := func(words string, when bool) {
		if strings.Contains(text, words) != when {
			t.Errorf("%s: that the page says %q is %v", file, words, !when)
		}
	}
	inside := doc.Inside != nil
	says("Membership is NOT protected", doc.is(presence) == public)
	says("Nothing that this site sends depends on one of them", inside)
	says("Does one program or person see the answers of several sites?", inside)
	says("of given decisions, ", inside && doc.is(presence) == public)
	says("Given to the network: at most", inside && doc.is(presence) == public)
	says("No number is promised against them", inside && s.Privacy.Inside == 0)
	says("Against them the promise is ε = 8 for each decision", s.Privacy.Inside > 0)
	says("Membership is protected", doc.is(presence) == protected)
	says("that a user was there is hidden", doc.Unit.Adjacency == dp.AddOrRemove.String())
	says("were taken, since they follow from released numbers alone", doc.is(action) == public)
	says("api.settle: arrival shows", doc.is(report) == public && doc.Private)
	says("which parts of the statistic", doc.is(action) == protected && doc.is(number) == public)
}
