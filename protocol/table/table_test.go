package table_test

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/internal/protocoltest"
	"peerd.dev/node/lab/learner"
	"peerd.dev/node/lab/papers"
	"peerd.dev/node/lab/printed"
	"peerd.dev/protocol"
)

// described is what the entries of all tables have.
type described struct {
	table, name, summary string
	params, small        any
}

func describedEntries() (all []described) {
	for _, e := range slices.Concat(learner.All(), printed.Learners()) {
		all = append(all, described{"learner", e.Words().Name, e.Words().Summary, e, bandit.Small(e)})
	}
	for _, e := range protocols() {
		all = append(all, described{"protocol", e.Words().Name, e.Words().Summary, e, protocol.Small(e, 2)})
	}
	return all
}

// TestEntriesDescribeThemselves: a configuration, its documentation and its checks are made
// of what an entry says of its parameters.
func TestEntriesDescribeThemselves(t *testing.T) {
	seen := make(map[string]bool)
	for _, e := range describedEntries() {
		t.Run(e.table+" "+e.name, func(t *testing.T) {
			if key := e.table + "." + e.name; seen[key] || e.name != strings.ToLower(e.name) || e.name == "" {
				t.Error("want a name of its own in lower case")
			} else {
				seen[key] = true
			}
			if e.summary == "" || strings.Contains(e.summary, "\n") || strings.HasSuffix(e.summary, ".") {
				t.Errorf("summary %q, want a line without a full stop", e.summary)
			}
			if reflect.TypeOf(e.params) != reflect.TypeOf(e.small) {
				t.Fatalf("Small is a %T, Params are %T", e.small, e.params)
			}
			of := reflect.TypeOf(e.params)
			for i := range of.NumField() {
				f := of.Field(i)
				if only := f.Tag.Get("only"); only != "" && only != e.name || f.Tag == "" { // without tags it is no key
					continue
				}
				want, doc := f.Tag.Get("want"), f.Tag.Get("doc")
				if want == "" && doc == "" {
					continue // no setting
				}
				if doc == "" || !strings.HasSuffix(doc, ".") {
					t.Errorf("%s: doc %q, want sentences", f.Name, doc)
				}
				for what, params := range map[string]any{"default": e.params, "Small": e.small} {
					if v := reflect.ValueOf(params).Field(i).Interface(); !fits(t, want, v) {
						t.Errorf("%s: %s is %v, want %q", f.Name, what, v, want)
					}
				}
			}
		})
	}
}

// fits reports whether a value is as a tag wants it: a|b|c, 1.., 1..20, "over 0", "over 0 up to .5" or "0 up to .5".
func fits(t *testing.T, want string, value any) bool {
	t.Helper()
	if rows, ok := value.([][]float64); ok {
		return want == "vectors" && len(rows) == 0 // none are known before arms are
	}
	text := fmt.Sprint(value)
	if words := strings.Split(want, "|"); len(words) > 1 {
		return slices.Contains(words, text)
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Errorf("%q is no number", text)
		return false
	}
	if want == "over 0" {
		return x > 0
	}
	var above, most float64
	if n, _ := fmt.Sscanf(want, "over %g up to %g", &above, &most); n == 2 {
		return above < x && x <= most
	}
	if n, _ := fmt.Sscanf(want, "%g up to %g", &above, &most); n == 2 {
		return above <= x && x <= most
	}
	from, to, ok := strings.Cut(want, "..")
	least, err := strconv.ParseFloat(from, 64)
	if !ok || err != nil {
		t.Errorf("a tag wants %q, which nobody can read", want)
		return false
	}
	if to == "" {
		return x >= least
	}
	if most, err = strconv.ParseFloat(to, 64); err != nil {
		t.Errorf("a tag wants %q, which nobody can read", want)
	}
	return least <= x && x <= most
}

// TestEntriesOfLearnersFit: Phased and Check say of a learner what it is.
func TestEntriesOfLearnersFit(t *testing.T) {
	for _, e := range slices.Concat(learner.All(), printed.Learners()) {
		for _, params := range slices.Concat(protocoltest.Variants(e), protocoltest.Variants(bandit.Small(e))) {
			l, err := bandit.New(params, bandit.Config{Arms: 3, Peers: 4, Horizon: 1000, Epsilon: 1})
			if err != nil {
				t.Fatalf("%s: %v", e.Words().Name, err)
			}
			if _, phased := l.(bandit.Phased); phased != bandit.TraitsOf(params).Phased {
				t.Errorf("%s: Phased is %v", e.Words().Name, !phased)
			}
			if field, want := bandit.Check(params, 3); field != "" {
				t.Errorf("%s: %+v: %s: want %s", e.Words().Name, params, field, want)
			}
		}
	}
}

// TestEntriesOfProtocolsFit: their parts agree with each other, in all variants of their
// parameters.
func TestEntriesOfProtocolsFit(t *testing.T) {
	everyEntry(t, func(t *testing.T, e protocol.Params) {
		if got, err := protocoltest.Lookup(protocols(), e.Words().Name); err != nil || got != e {
			t.Errorf("looked up: %+v, %v", got, err)
		}
		if len(protocol.TraitsOf(e).Kinds) == 0 {
			t.Error("no kinds: it says nothing")
		}
		if !slices.ContainsFunc(dp.Mechanisms(), func(m dp.Mechanism) bool { return protocol.Suits(e, m) }) {
			t.Error("no mechanism suits it")
		}
		for _, params := range []protocol.Params{e, protocol.Small(e, 2)} {
			for _, n := range []protocol.Net{{}, {Peers: 10, LeastDegree: 4, Horizon: 10_000}} {
				if field, want := protocol.Check(params, n); field != "" {
					t.Errorf("%+v in %+v: %s: want %s", params, n, field, want)
				}
			}
		}
		for _, params := range slices.Concat(protocoltest.Variants(e), variants(e)) {
			c := params.Cadence()
			if err := c.Check(); err != nil {
				t.Errorf("%+v: %v", params, err)
			}
			if protocol.TraitsOf(e).NoisedCounts && c.Rounds == 0 {
				t.Errorf("%+v: counts are noised, and leaves close %s", params, c.Text())
			}
			if c.Text() == "" || c.Leaves(1) < 1 || c.Leaves(1000) < c.Leaves(10) {
				t.Errorf("%+v: leaves close %q, %d in a round, %d in 10, %d in 1000", params, c.Text(), c.Leaves(1), c.Leaves(10), c.Leaves(1000))
			}
			if params.Words().Public == "" {
				t.Errorf("%+v: no words for what is public", params)
			}
			if protocol.Learners(params, 10) == 0 {
				t.Errorf("%+v: no peer of 10 has arms", params)
			}
			if alone := protocol.Among(params, 1); !protocol.Learns(alone, 0) || !protocol.Learns(protocol.Among(params, 3), 0) {
				t.Errorf("%+v: a peer alone has no arms", alone)
			}
			leafLength(t, params)
			// What Check refuses is a field, as it is called in a key.
			for _, n := range []protocol.Net{{Peers: 1, LeastDegree: 1, Horizon: 1}, {Peers: 2, LeastDegree: 1, Horizon: 100}} {
				field, want := protocol.Check(params, n)
				_, known := reflect.TypeOf(params).FieldByNameFunc(func(f string) bool { return strings.ToLower(f) == field })
				if (field == "") != (want == "") || field != "" && !known {
					t.Errorf("%+v in %+v: Check says %q, %q", params, n, field, want)
				}
			}
		}
	})
	if _, err := protocoltest.Lookup(papers.All(), "nothing"); err == nil {
		t.Error("a protocol that is not there is found")
	}
}

// leafLength holds Leaf and Small against when leaves close: the field sets how long a leaf
// is, and Small sets the field. Where no field does, Small leaves it as it is.
func leafLength(t *testing.T, params protocol.Params) {
	of := protocol.TraitsOf(params).Leaf
	t.Helper()
	for _, n := range []uint64{2, 5} {
		small := protocol.Small(params, n)
		c := small.Cadence()
		if of == "" {
			if c != params.Cadence() {
				t.Errorf("%+v: no field says how long a leaf is, and Small makes it %+v", params, c)
			}
			continue
		}
		field := reflect.ValueOf(small).FieldByNameFunc(func(f string) bool { return strings.ToLower(f) == of })
		if !field.IsValid() || !field.CanUint() || field.Uint() != n || max(c.Rounds, c.Decisions, c.First) != n {
			t.Errorf("%s of %+v: want leaves of %d, as Small was given, got %+v", of, small, n, c)
		}
	}
}

// TestVariants walks the words of tags.
func TestVariants(t *testing.T) {
	type params struct {
		Word  string `want:"a|b|c"`
		On    bool   `want:"true|false"`
		Count int    `want:"1..3"`
	}
	all := protocoltest.Variants(params{"b", true, 2})
	if len(all) != 6 || all[0] != (params{"b", true, 2}) || !slices.Contains(all, params{"c", false, 2}) {
		t.Errorf("%+v", all)
	}
}
