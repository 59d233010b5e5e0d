package main

import (
	"encoding/json"
	"math"
	"math/bits"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"peerd.dev/dp"
	"peerd.dev/dp/account"
)

// explained returns what `privacy explain` says about settings.
func explained(t *testing.T, args ...string) (*privacyDoc, string) {
	t.Helper()
	args = append([]string{"privacy", "explain"}, args...)
	c, page, trouble := peerd(t, args...)
	if c != exitOK {
		t.Fatalf("code %d: %s", c, trouble)
	}
	_, text, _ := peerd(t, append(args, "--json")...)
	doc := &privacyDoc{}
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(doc); err != nil {
		t.Fatal(err)
	}
	return doc, page
}

// TestExplainIsAPage compares whole pages, of an application and of a simulated world.
func TestExplainIsAPage(t *testing.T) {
	for name, args := range map[string][]string{
		"application": {"-c", "../../configs/application.yaml", "--set", "privacy.records_per_user=3", "--set", "api.settle=arrival"},
		"testnet":     {"-c", "../../configs/testnet.yaml"},
	} {
		_, page := explained(t, args...)
		file := filepath.Join("testdata", "privacy", name+".txt")
		if *update {
			if err := os.WriteFile(file, []byte(page), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if page != string(want) {
			t.Errorf("%s differs; -update writes it anew. Got:\n%s", file, page)
		}
		for line := range strings.Lines(page) {
			if n := len([]rune(line)); n > pageWidth+1 {
				t.Errorf("%d letters in %q", n, line)
			}
		}
	}
}

// TestExplainSaysInJSONWhatIsCharged compares with the charge of an agent.
func TestExplainSaysInJSONWhatIsCharged(t *testing.T) {
	doc, _ := explained(t, "-c", "../../configs/application.yaml")
	s := settings(t, "../../configs/application.yaml")
	charge, err := s.Charge()
	if err != nil {
		t.Fatal(err)
	}
	m, b := doc.Mechanism, doc.Budget
	if m.ScaleGrid != charge.Scale || m.Scale != 15 || m.Levels != 15 || m.Most != 14 || m.Leaves != charge.Leaves || m.Streams != 3 || m.Sensitivity != 1 || m.Grid != dp.GridExponent {
		t.Errorf("mechanism %+v of charge %+v", m, charge)
	}
	if b.NanoEpsilon != charge.Loss.Pure || b.Epsilon != 1 || b.Delta != 0 || math.Abs(b.Chance-1/(1+math.Exp(-1))) > 1e-9 || math.Abs(b.Power-.05*math.E) > 1e-9 {
		t.Errorf("budget %+v of charge %+v", b, charge)
	}
	if h := doc.Horizon; h.Rounds != 72000 || h.Lasts != "5 hours" || h.Start != nil || h.End != nil {
		t.Errorf("horizon %+v", h)
	}
	if !doc.Private || len(doc.Warnings) != 0 || len(doc.Users) == 0 || len(doc.Public) == 0 || len(doc.NotCovered) == 0 {
		t.Errorf("document %+v", doc)
	}
	for _, d := range doc.Documents {
		if _, err := os.Stat(filepath.Join("../..", d.Path)); err != nil {
			t.Error(err)
		}
	}
}

func settings(t *testing.T, file string, set ...string) *Settings {
	t.Helper()
	c, err := loadConfig(file, set)
	if err != nil {
		t.Fatal(err)
	}
	return &c.Settings
}

// TestNoiseIsWhatTheDoorDraws closes leaves without records, of 2^14 streams with the
// charged noise, and compares deviations with the table. Over so many, that of one term
// is off by 4 % with probability 1e-5, of more terms less often; the seeds are fixed.
func TestNoiseIsWhatTheDoorDraws(t *testing.T) {
	for _, file := range []string{"testnet", "rows", "diabetes"} {
		t.Run(file, func(t *testing.T) {
			s := settings(t, "../../configs/"+file+".yaml")
			charge, err := s.Charge()
			if err != nil {
				t.Fatal(err)
			}
			n := s.noise(charge)
			doc := n.document(s.Privacy.Horizon, 5, "")
			const last = 100
			square := make([]float64, min(last, charge.Leaves)+1) // of the sum at each leaf, mean
			const doors, streams = 2, 1 << 13
			for d := range doors {
				door, err := dp.NewDoor(dp.Lockstep, account.Unlimited, dp.NewSeededSource([32]byte{byte(d + 1)}))
				if err != nil {
					t.Fatal(err)
				}
				if _, err := door.Open(dp.Spec{
					What: charge.What, Streams: streams, Dim: 1, Hi: 1, Leaves: charge.Leaves,
					RecordsPerUser: charge.RecordsPerUser, Epsilon: charge.Loss.Pure,
				}); err != nil {
					t.Fatal(err)
				}
				for k := 1; k < len(square); k++ {
					for i := range streams {
						leaf, err := door.Leaf(dp.StreamID(i), uint64(k))
						if err != nil {
							t.Fatal(err)
						}
						square[k] += leaf.Sum.At(0) * leaf.Sum.At(0) / (doors * streams)
						if terms := leaf.Sum.Noise().Terms; terms != dp.Term*uint32(bits.OnesCount(uint(k))) {
							t.Fatalf("leaf %d: %d terms", k, terms)
						}
					}
					door.Drawn()
				}
			}
			agree := func(what string, got, want float64) {
				if math.Abs(got/want-1) > 0.04 {
					t.Errorf("%s: %v drawn, %v predicted", what, got, want)
				}
			}
			seen := 0
			for _, l := range doc.After {
				if int(l.Leaf) < len(square) {
					seen++
					agree("sum after "+strconv.FormatUint(l.Rewards, 10), math.Sqrt(square[l.Leaf]), l.Sum)
					agree("mean after "+strconv.FormatUint(l.Rewards, 10), math.Sqrt(square[l.Leaf])/float64(l.Rewards), l.Mean)
				}
			}
			if seen < 2 {
				t.Errorf("%d lines compared", seen)
			}
			if n.every == 0 || charge.Leaves <= last { // else the average is over more leaves
				total := 0.0
				for _, v := range square {
					total += v
				}
				agree("average", math.Sqrt(total/float64(len(square)-1))/last, n.mean(last))
			}
		})
	}
}

// TestTermsAreThoseOfTheTable: the published worst and mean variance of the Laplace tree
// in units of 1/ε², 2·levels² a node.
func TestTermsAreThoseOfTheTable(t *testing.T) {
	for leaves, want := range map[uint64][2]float64{64: {588, 296}, 400: {1296, 675}, 1024: {2420, 1210}, 4096: {4056, 2028}, 65536: {9248, 4624}} {
		mean, most := ones(leaves)
		unit := 2 * math.Pow(float64(bits.Len64(leaves)), 2)
		if unit*most != want[0] || math.Abs(unit*mean-want[1]) > 1 {
			t.Errorf("%d leaves: %v/%v, want %v", leaves, unit*most, unit*mean, want)
		}
	}
	sum, worst := 0, 0
	for n := uint64(1); n < 5000; n++ {
		sum += bits.OnesCount64(n)
		worst = max(worst, bits.OnesCount64(n))
		if mean, most := ones(n); mean != float64(sum)/float64(n) || most != float64(worst) {
			t.Fatalf("%d: %v and %v, want %v and %d", n, mean, most, float64(sum)/float64(n), worst)
		}
	}
}

// TestWarningsNameWhatWouldHelp takes the remedies at their word.
func TestWarningsNameWhatWouldHelp(t *testing.T) {
	file := write(t, good(map[string]string{"privacy.epsilon": "0.2", "privacy.horizon": "2000"}))
	doc, page := explained(t, "-c", file)
	if len(doc.Warnings) != 1 || !strings.Contains(page, "WARNINGS") {
		t.Fatalf("warnings %+v", doc.Warnings)
	}
	before := settings(t, file)
	sd := func(s *Settings, rewards uint64) float64 {
		charge, err := s.Charge()
		if err != nil {
			t.Fatal(err)
		}
		return s.noise(charge).mean(rewards)
	}
	number := func(key string) string {
		found := regexp.MustCompile(regexp.QuoteMeta(key) + `: ([0-9.]+[0-9])`).FindStringSubmatch(doc.Warnings[0].Do)
		if found == nil {
			t.Fatalf("no %s in %q", key, doc.Warnings[0].Do)
		}
		return found[1]
	}
	for key, also := range map[string]string{"protocol.rows.every": "protocol.name=rows", "privacy.horizon": "seed=0", "privacy.epsilon": "seed=0"} {
		after := settings(t, file, key+"="+number(key), also)
		if a, b := sd(after, after.Privacy.Horizon/10), sd(before, 200); a > b/2*(1+1e-9) {
			t.Errorf("%s=%s leaves %v of %v", key, number(key), a, b)
		}
	}
	for _, c := range []struct {
		changes map[string]string
		want    string
	}{
		{map[string]string{"privacy.epsilon": "5"}, "ε = 5 is weak"},
		{map[string]string{"world.kind": Application, "world.means": "-", "privacy.records_per_user": "2", "privacy.horizon": "100000"}, "by subject alone"},
		{map[string]string{"world.kind": Application, "world.means": "-", "api.settle": "arrival", "privacy.horizon": "100000"}, "api.settle: arrival"},
		{map[string]string{"world.kind": "replay", "world.means": "-", "arms": "[a, b, c, d, e]", "world.cap": "2", "privacy.records_per_user": "2", "privacy.horizon": "100000"}, "one patient can be at several sites"},
	} {
		doc, _ := explained(t, "-c", write(t, good(c.changes)))
		if len(doc.Warnings) != 1 || !strings.Contains(doc.Warnings[0].What, c.want) {
			t.Errorf("%v: warnings %+v, want one of %q", c.changes, doc.Warnings, c.want)
		}
	}
}

// TestExplainKnowsTheDay reads the network file, if there is one.
func TestExplainKnowsTheDay(t *testing.T) {
	file := write(t, good(map[string]string{"privacy.horizon": "86400", "privacy.epsilon": "1"}))
	dir := filepath.Dir(file)
	n := threeSites()
	n.Every = time.Second
	if err := writeNetwork(filepath.Join(dir, "network.yaml"), n); err != nil {
		t.Fatal(err)
	}
	doc, page := explained(t, "--dir", dir)
	if doc.Horizon.End == nil || !doc.Horizon.End.Equal(n.Start.Add(24*time.Hour)) || doc.Error.Sites != len(n.Peers) {
		t.Errorf("horizon %+v, %d sites", doc.Horizon, doc.Error.Sites)
	}
	if !strings.Contains(strings.Join(strings.Fields(page), " "), "to "+dateText(n.Start.UTC().Add(24*time.Hour))) {
		t.Error(page)
	}
	n.Every = time.Minute
	if err := writeNetwork(filepath.Join(dir, "network.yaml"), n); err != nil {
		t.Fatal(err)
	}
	if doc, _ = explained(t, "--dir", dir); len(doc.Warnings) != 1 {
		t.Errorf("warnings %+v, want one of rounds that differ", doc.Warnings)
	}
}

// TestExplainDoesNotPraiseLockstep: without people there is no promise.
func TestExplainDoesNotPraiseLockstep(t *testing.T) {
	for _, changes := range []map[string]string{
		{"mode": "lockstep", "seed": "1"},
		{"mode": "lockstep", "seed": "1", "privacy.epsilon": "inf", "privacy.mechanism": "none"},
	} {
		doc, page := explained(t, "-c", write(t, good(changes)))
		if doc.Private || !strings.Contains(page, "None. Mode lockstep guards nobody") || strings.Contains(page, "operating system") {
			t.Errorf("%v:\n%s", changes, page)
		}
	}
}
