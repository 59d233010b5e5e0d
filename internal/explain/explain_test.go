package explain

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"math"
	"math/bits"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/internal/config"
	"peerd.dev/internal/configtest"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/internal/require"
	"peerd.dev/internal/vouch"
)

var update = flag.Bool("update", false, "write the files that tests compare with")

// explained returns the explanation of settings, as a document and as a page. The arguments are
// the command's.
func explained(t *testing.T, args ...string) (*Document, string) {
	t.Helper()
	var file string
	var set []string
	for i := 0; i < len(args); i += 2 {
		switch args[i] {
		case "-c":
			file = args[i+1]
		case "--dir":
			file, set = filepath.Join(args[i+1], config.FileName), append(set, "dir="+args[i+1])
		case "--set":
			set = append(set, args[i+1])
		default:
			t.Fatalf("unknown flag %s", args[i])
		}
	}
	c := require.Value(plan.Schema().Load(file, set))(t)
	said := require.Value(New(c, time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC)))(t)
	var page bytes.Buffer
	said.Write(&page, &c.Settings)
	text := require.Value(json.Marshal(said))(t)
	doc := &Document{}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(doc))
	return doc, page.String()
}

// TestExplainSaysInJSONWhatIsCharged compares with the charge of an agent.
func TestExplainSaysInJSONWhatIsCharged(t *testing.T) {
	doc, _ := explained(t, "-c", "../../configs/application.yaml")
	s := settings(t, "../../configs/application.yaml")
	charge := require.Value(s.Charge())(t)
	m, b := doc.Mechanism, doc.Budget
	if m.ScaleGrid != charge.Scale || m.Scale != 4 || m.Column != 4 || m.Norm != "L1" || m.Leaves != charge.Leaves || m.Streams != 3 || m.Sensitivity != 1 || m.Grid != dp.GridExponent {
		t.Errorf("mechanism %+v of charge %+v", m, charge)
	}
	if b.NanoEpsilon != charge.Loss.Pure || b.Epsilon != 1 || b.Delta != 0 || math.Abs(b.Chance-1/(1+math.Exp(-1))) > 1e-9 || math.Abs(b.Power-.05*math.E) > 1e-9 {
		t.Errorf("budget %+v of charge %+v", b, charge)
	}
	if h := doc.Horizon; h.Rounds != 72000 || h.Lasts != "5 hours" || h.Start != nil || h.End != nil {
		t.Errorf("horizon %+v", h)
	}
	if !doc.Private || len(warned(doc)) != 0 || len(doc.Users) == 0 || len(doc.Public) == 0 || len(doc.NotCovered) == 0 {
		t.Errorf("document %+v", doc)
	}
	for _, d := range doc.Documents {
		if _, err := os.Stat(filepath.Join("../..", d.Path)); err != nil {
			t.Error(err)
		}
	}
}

// warned returns the warnings except the one about a mechanism with less noise, which depends on
// the mechanisms that exist.
func warned(d *Document) []warningDoc {
	return slices.DeleteFunc(slices.Clone(d.Warnings), func(w warningDoc) bool { return strings.HasPrefix(w.What, "another mechanism") })
}

func settings(t *testing.T, file string, set ...string) *config.Settings {
	t.Helper()
	c := require.Value(plan.Schema().Load(file, set))(t)
	return &c.Settings
}

// TestNoiseIsWhatTheCuratorDraws closes leaves without records, in 2^14 streams with the charged
// noise, and compares deviations with the table. Over 2^14 streams, the deviation of one term is
// off by 4 % with probability 1e-5, of more terms less often; the seeds are fixed.
func TestNoiseIsWhatTheCuratorDraws(t *testing.T) {
	for _, c := range [][]string{{"average"}, {"rows"}, {"rows", "privacy.mechanism=tree", "privacy.horizon=4800"}, {"rows", "privacy.mechanism=tree-gaussian", "privacy.delta=0.000001"}} {
		t.Run(strings.Join(c, " "), func(t *testing.T) {
			s := settings(t, "../../configs/"+c[0]+".yaml", c[1:]...)
			charge := require.Value(s.Charge())(t)
			n := newNoise(s, charge)
			doc := n.document(s.Privacy.Horizon, 5, "")
			delta := s.Privacy.Delta
			const last = 100
			square := make([]float64, min(last, charge.Leaves)+1) // of the sum at each leaf, mean
			const curators, streams = 2, 1 << 13
			for d := range curators {
				curator := require.Value(dp.NewCurator(dp.Lockstep, vouch.For(account.Unlimited), dp.NewSeededSource([32]byte{byte(d + 1)})))(t)
				require.Value(curator.Open(dp.Spec{
					What: charge.What, Streams: streams, Dim: 1, Hi: 1, Leaves: charge.Leaves,
					RecordsPerUser: charge.RecordsPerUser, Mechanism: charge.Mechanism, Epsilon: dp.Cost(s.Privacy.Epsilon * dp.Nano), Delta: delta,
				}))(t)
				for k := 1; k < len(square); k++ {
					want := charge.SumNoise(uint64(k))
					for i := range streams {
						leaf := require.Value(curator.Leaf(dp.StreamID(i), uint64(k)))(t)
						square[k] += leaf.Sum.At(0) * leaf.Sum.At(0) / (curators * streams)
						if noise := leaf.Sum.Noise(); noise != want {
							t.Fatalf("leaf %d: %+v", k, noise)
						}
					}
					curator.TakeDrawn()
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
			if !n.cadence.SynchronousLeaves() || charge.Leaves <= last { // otherwise the average is over more leaves
				total := 0.0
				for _, v := range square {
					total += v
				}
				agree("average", math.Sqrt(total/float64(len(square)-1))/last, n.mean(last))
			}
		})
	}
}

// TestTermsAreThoseOfTheTable: the worst and mean variance are the published ones of the Laplace
// tree, in units of 1/ε², 2·levels² for each node. Averages over some of the leaves are within 1
// %.
func TestTermsAreThoseOfTheTable(t *testing.T) {
	file := configtest.Write(t, configtest.Good(map[string]string{"privacy.epsilon": "1", "privacy.mechanism": "tree"}))
	for leaves, want := range map[uint64][2]float64{64: {588, 296}, 400: {1296, 675}, 1024: {2420, 1210}, 4096: {4056, 2028}, 65536: {9248, 4624}} {
		s := settings(t, file, "privacy.horizon="+strconv.FormatUint(leaves, 10))
		charge := require.Value(s.Charge())(t)
		average, worst := newNoise(s, charge).sums(leaves)
		if math.Abs(worst*worst/want[0]-1) > 1e-9 || math.Abs(average*average/want[1]-1) > .01 {
			t.Errorf("%d leaves: %v/%v, want %v", leaves, worst*worst, average*average, want)
		}
	}
}

// TestLeavesAreLookedAt: all leaves up to the limit; beyond it, leaves spread evenly, and the one
// with the most binary ones.
func TestLeavesAreLookedAt(t *testing.T) {
	for n := uint64(1); n < 5000; n++ {
		worst, full, list := 0, 0, spreadLeaves(n)
		for k := uint64(1); k <= n; k++ {
			worst = max(worst, bits.OnesCount64(k))
		}
		for _, k := range fullLeaves(n) {
			full = max(full, bits.OnesCount64(k))
			if k < 1 || k > n {
				t.Fatalf("leaf %d of %d", k, n)
			}
		}
		if full != worst || len(list) != int(min(n, looks)) {
			t.Fatalf("%d leaves: %d ones, want %d; %d looked at", n, full, worst, len(list))
		}
		if n <= looks {
			continue
		}
		var tenths [10]int
		for _, k := range list {
			if k < 1 || k > n {
				t.Fatalf("leaf %d of %d", k, n)
			}
			tenths[(k-1)*10/n]++
		}
		for i, in := range tenths {
			if in < looks/10-5 || in > looks/10+5 {
				t.Fatalf("%d leaves: %d of %d looks are in tenth %d", n, in, looks, i)
			}
		}
	}
}

// TestEveryMechanismHasAPage: with a description and a proof.
func TestEveryMechanismHasAPage(t *testing.T) {
	for _, m := range dp.Mechanisms() {
		if m == dp.None || !m.Running() {
			continue
		}
		changes := map[string]string{"privacy.epsilon": "1", "privacy.mechanism": m.String(), "privacy.horizon": "1000"}
		if m.Law() == dp.Gaussian {
			changes["privacy.delta"] = "0.000001"
		}
		doc, page := explained(t, "-c", configtest.Write(t, configtest.Good(changes)))
		if doc.Mechanism.About == "" || !strings.Contains(page, proofOf(m)) || doc.Mechanism.Column < 1 {
			t.Errorf("%v: %+v", m, doc.Mechanism)
		}
		for _, d := range doc.Documents {
			if _, err := os.Stat(filepath.Join("../..", d.Path)); err != nil {
				t.Errorf("%v: %v", m, err)
			}
		}
	}
}

// TestTheNoiseIsThatOfAnyHorizon: the page is fast even for the longest horizon.
func TestTheNoiseIsThatOfAnyHorizon(t *testing.T) {
	begin := time.Now()
	for _, m := range []string{"tree", "tree-gaussian"} {
		changes := map[string]string{"privacy.epsilon": "1", "privacy.mechanism": m, "privacy.horizon": "1073741824"}
		if m == "tree-gaussian" {
			changes["privacy.delta"] = "0.000001"
		}
		if doc, _ := explained(t, "-c", configtest.Write(t, configtest.Good(changes))); len(doc.Error.After) != 9 {
			t.Errorf("%+v", doc.Error)
		}
	}
	if took := time.Since(begin); took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
}

// TestQuietestIsFound: for so few leaves there is less Laplace noise than Gaussian noise.
func TestQuietestIsFound(t *testing.T) {
	few := map[string]string{"privacy.epsilon": "5", "privacy.mechanism": "tree-gaussian", "privacy.delta": "0.000001", "privacy.horizon": "2"}
	doc, page := explained(t, "-c", configtest.Write(t, configtest.Good(few)))
	if q := doc.Error.LeastNoise; q.Ratio > .42 || !strings.Contains(strings.Join(strings.Fields(page), " "), "with privacy.delta: 0, which it does not need") {
		t.Errorf("%+v\n%s", q, page)
	}
	doc, page = explained(t, "-c", configtest.Write(t, configtest.Good(map[string]string{"privacy.mechanism": "none", "privacy.epsilon": "inf", "mode": "lockstep", "seed": "1"})))
	if doc.Error != nil {
		t.Error(page)
	}
}

// TestWarningsNameWhatWouldHelp applies the remedies.
func TestWarningsNameWhatWouldHelp(t *testing.T) {
	for _, changes := range []map[string]string{
		{"privacy.epsilon": "0.2", "privacy.horizon": "2000"},
		{"privacy.epsilon": "0.2", "privacy.horizon": "2000", "privacy.mechanism": "tree-gaussian", "privacy.delta": "0.000001"},
	} {
		checkRemedies(t, configtest.Write(t, configtest.Good(changes)))
	}
	for _, c := range []struct {
		changes map[string]string
		want    string
	}{
		{map[string]string{"privacy.epsilon": "5"}, "ε = 5 is weak"},
		{map[string]string{"privacy.epsilon": "25", "privacy.accept_weak": "true", "privacy.mechanism": "tree-gaussian", "privacy.delta": "0.000001"}, "name the right one with a probability of 9"},
		{map[string]string{"privacy.mechanism": "tree-gaussian", "privacy.delta": "0.0001", "privacy.horizon": "100000"}, "δ = 0.0001 is large"},
		{map[string]string{"world.kind": config.Application, "privacy.records_per_user": "2", "privacy.horizon": "100000"}, "by subject alone"},
		{map[string]string{"world.kind": config.Application, "api.settle": "arrival", "privacy.horizon": "100000"}, "api.settle: arrival"},
		{map[string]string{"world.kind": "replay", "arms": "[a, b, c, d, e]", "world.replay.cap": "2", "privacy.records_per_user": "2", "privacy.horizon": "100000"}, "one person can be at several sites"},
	} {
		doc, _ := explained(t, "-c", configtest.Write(t, configtest.Good(c.changes)))
		if w := warned(doc); len(w) != 1 || !strings.Contains(w[0].What, c.want) {
			t.Errorf("%v: warnings %+v, want one of %q", c.changes, w, c.want)
		}
	}
}

// checkRemedies applies the remedies to a configuration with too much noise.
func checkRemedies(t *testing.T, file string) {
	t.Helper()
	doc, page := explained(t, "-c", file)
	warnings := warned(doc)
	if len(warnings) != 1 || !strings.Contains(page, "WARNINGS") {
		t.Fatalf("warnings %+v", doc.Warnings)
	}
	before := settings(t, file)
	sd := func(s *config.Settings, rewards uint64) float64 {
		charge := require.Value(s.Charge())(t)
		return newNoise(s, charge).mean(rewards)
	}
	number := func(key string) string {
		found := regexp.MustCompile(regexp.QuoteMeta(key) + `: ([0-9.]+[0-9])`).FindStringSubmatch(warnings[0].Do)
		if found == nil {
			t.Fatalf("no %s in %q", key, warnings[0].Do)
		}
		return found[1]
	}
	for key, also := range map[string]string{"protocol.rows.every": "protocol.name=rows", "privacy.horizon": "seed=0", "privacy.epsilon": "seed=0"} {
		after := settings(t, file, key+"="+number(key), also)
		if a, b := sd(after, after.Privacy.Horizon/10), sd(before, 200); a > b/2*(1+1e-3) {
			t.Errorf("%s=%s leaves %v of %v", key, number(key), a, b)
		}
	}
}

// TestExplainKnowsTheDay: it reads the network file if there is one.
func TestExplainKnowsTheDay(t *testing.T) {
	file := configtest.Write(t, configtest.Good(map[string]string{"privacy.horizon": "86400", "privacy.epsilon": "1"}))
	dir := filepath.Dir(file)
	n := configtest.ThreeSites()
	n.Every = time.Second
	require.NoError(t, config.WriteNetwork(filepath.Join(dir, "network.yaml"), n))
	doc, page := explained(t, "--dir", dir)
	if doc.Horizon.End == nil || !doc.Horizon.End.Equal(n.Start.Add(24*time.Hour)) || doc.Error.Sites != len(n.Peers) {
		t.Errorf("horizon %+v, %d sites", doc.Horizon, doc.Error.Sites)
	}
	if !strings.Contains(strings.Join(strings.Fields(page), " "), "to "+dateText(n.Start.UTC().Add(24*time.Hour))) {
		t.Error(page)
	}
	n.Every = time.Minute
	require.NoError(t, config.WriteNetwork(filepath.Join(dir, "network.yaml"), n))
	if doc, _ = explained(t, "--dir", dir, "--set", "rounds.every=1s"); len(warned(doc)) != 1 {
		t.Errorf("warnings %+v, want one of rounds that differ", doc.Warnings)
	}
}

// TestANetworkOfRelaysAloneIsRefused: a mean over no sites has no noise to predict.
func TestANetworkOfRelaysAloneIsRefused(t *testing.T) {
	file := configtest.Write(t, configtest.Good(map[string]string{"protocol.name": "rows", "protocol.rows.relays": "3"}))
	dir := filepath.Dir(file)
	require.NoError(t, config.WriteNetwork(filepath.Join(dir, "network.yaml"), configtest.ThreeSites()))
	c, err := plan.Schema().Load(file, []string{"dir=" + dir})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = New(c, time.Time{}); !errors.Is(err, config.ErrRefused) || !strings.Contains(err.Error(), "protocol.rows.relays: 3: want fewer than the 3 peers") {
		t.Errorf("%v, want it refused", err)
	}
}

// TestAnArrivalIsPublic with api.settle: arrival, and where several reports make a reward, the end of a window.
func TestAnArrivalIsPublic(t *testing.T) {
	for reward, want := range map[string]string{"first": "its reward was reported, and whether", "last": "the application ended its window"} {
		_, page := explained(t, "-c", "../../configs/application.yaml", "--set", "api.settle=arrival", "--set", "api.reward="+reward)
		if !strings.Contains(strings.Join(strings.Fields(page), " "), "arrival also when "+want) {
			t.Errorf("api.reward: %s: no %q in\n%s", reward, want, page)
		}
	}
}
