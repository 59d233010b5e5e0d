package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"peerd.dev/gossip/topology"
	"peerd.dev/internal/config"
	"peerd.dev/internal/lab/experiment"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/internal/lab/testnet"
	"peerd.dev/internal/peerdtest"
	"peerd.dev/internal/require"
	"peerd.dev/internal/vouch"
	"peerd.dev/node"
	"peerd.dev/node/api"
	"peerd.dev/node/lab/forgeable"
	"peerd.dev/node/lab/graphs"
	"peerd.dev/node/lab/lockstep"
	"peerd.dev/node/lab/sim"
	"peerd.dev/protocol"
)

// equalityRounds are rounds of a play, in which a pair closes some ten leaves or epochs; PEERD_LONG plays more.
func equalityRounds() int {
	if os.Getenv("PEERD_LONG") != "" {
		return 1000
	}
	return 300
}

// equalityFile has five sites in a ring; equalitySet makes it lockstep, with noise.
const equalityFile = "../../configs/rows.yaml"

func equalitySet() []string {
	return []string{"mode=lockstep", "seed=7", fmt.Sprintf("rounds.count=%d", equalityRounds())}
}

// processTraces plays s in processes over TCP and Noise and returns their traces. Each process
// gets the network file and its own seed number: the one in seeds or else the one derived from
// the run's.
func processTraces(t *testing.T, s *config.Settings, seeds map[int]uint64) map[string][]byte {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	dir := peerdtest.Dir(t)
	n := &testnet.Net{Settings: s, Dir: dir, Traced: true, Seeds: seeds}
	n.Graph = graphOf(t, s)
	require.NoError(t, n.WriteFolders())
	defer n.Stop()
	require.NoError(t, n.Start())
	require.NoError(t, n.WaitReady(ctx))
	require.Value(n.Watch(ctx, 20*time.Millisecond, func([]api.Status, bool) {}))(t)
	stop(n.Processes...) // a peer's files are complete when it has ended by itself
	traces := map[string][]byte{}
	for _, name := range n.Names {
		files := require.Value(filepath.Glob(filepath.Join(dir, name, "trace", "*.txt")))(t)
		for _, f := range files {
			b := require.Value(os.ReadFile(f))(t)
			traces[name+"/"+filepath.Base(f)] = b
		}
	}
	return unsealed(t, s, traces)
}

// unsealed returns traces in which every message with sealed texts is its kind, its label, its labels and what was sealed. Sealing is
// randomized (RFC 9180), so texts, and signatures of them, are other bytes in each run.
func unsealed(t *testing.T, s *config.Settings, traces map[string][]byte) map[string][]byte {
	t.Helper()
	var keys []protocol.Keys
	for i, k := range simulated(t, s, s.Seed).Keys {
		keys = append(keys, k.Get(), forgeable.Keys(i)) // the latter of the simulator
	}
	for name, b := range traces {
		if !strings.Contains(name, "/link-") {
			continue
		}
		var lines bytes.Buffer
		for line := range bytes.Lines(b) {
			frame := require.Value(hex.DecodeString(string(bytes.TrimSpace(line))))(t)
			if m, err := protocol.Decode(vouch.For(frame)); err != nil {
				t.Fatal(err)
			} else if len(m.Sealed()) > 0 {
				line = openedLine(m, keys)
			}
			lines.Write(line)
		}
		traces[name] = lines.Bytes()
	}
	return traces
}

// openedLine returns a message with sealed texts as text, with what was sealed if one of the keys opens it.
func openedLine(m protocol.Message, keys []protocol.Keys) []byte {
	line := fmt.Appendf(nil, "kind %d %+v", m.Kind(), m.Label())
	for i := range m.Refs() {
		line = fmt.Appendf(line, " %+v", m.Ref(i))
	}
	for _, text := range m.Sealed() {
		b := text.Bytes()
		for i, k := range keys {
			if opened, err := k.Open(b); err == nil {
				line, b = fmt.Appendf(line, " for peer %d:", i/2), opened
				break
			}
		}
		line = fmt.Appendf(line, " %x", b)
	}
	return append(line, '\n')
}

// graphOf returns the links of the testnet.
func graphOf(t *testing.T, s *config.Settings) *topology.Graph {
	t.Helper()
	graph, _, err := graphs.Build(plan.TestnetOf(s).Topology, plan.TestnetOf(s).Nodes, s.Seed)
	if err != nil {
		t.Fatal(err)
	}
	return graph
}

// simulated returns a run of the testnet in the simulator.
func simulated(t *testing.T, s *config.Settings, run uint64) sim.Config {
	t.Helper()
	source := require.Value(plan.OpenWorld(s, s.SitesOf(plan.TestnetOf(s).Nodes)))(t)
	return require.Value(experiment.Simulate(s, source, config.Neighbours(plan.TestnetOf(s).Nodes, graphOf(t, s).Edges()), run))(t)
}

// simulatedTraces returns what the same peers do in the simulator.
func simulatedTraces(t *testing.T, s *config.Settings) map[string][]byte {
	t.Helper()
	c := simulated(t, s, s.Seed)
	names := plan.SiteNames(plan.TestnetOf(s).Nodes)
	files := map[string]*bytes.Buffer{}
	file := func(name string) io.Writer {
		if files[name] == nil {
			files[name] = &bytes.Buffer{}
		}
		return files[name]
	}
	c.Trace = func(p protocol.Peer) *lockstep.Trace {
		return &lockstep.Trace{Steps: file(names[p] + "/steps.txt"), Links: func(to protocol.Peer) io.Writer {
			return file(fmt.Sprintf("%s/link-%d.txt", names[p], to))
		}}
	}
	require.Value(sim.Run(c))(t)
	traces := map[string][]byte{}
	for name, b := range files {
		traces[name] = b.Bytes()
	}
	return unsealed(t, s, traces)
}

// TestWhatIsSimulatedIsWhatRuns: decisions, releases, estimates and the frames of every link are
// the same bytes in five processes and in the simulator, and differ if the seed of one process is
// changed. Sealed texts are compared by what was sealed.
func TestWhatIsSimulatedIsWhatRuns(t *testing.T) {
	for i, p := range covering(t, equalityFile, equalitySet()...) {
		t.Run(p.name, func(t *testing.T) {
			c := require.Value(plan.Schema().Load(equalityFile, p.set))(t)
			s := &c.Settings
			want := runsAsSimulated(t, s)
			if files := plan.TestnetOf(s).Nodes + 2*len(graphOf(t, s).Edges()); len(want) != files {
				t.Fatalf("%d files, want %d", len(want), files)
			}

			if i%4 != 0 && os.Getenv("PEERD_LONG") == "" {
				return // the others show that the comparison notices a seed
			}
			changed := processTraces(t, s, map[int]uint64{3: node.PeerNumber(8, 3)})
			differ := 0
			for name, w := range want {
				if !bytes.Equal(changed[name], w) {
					differ++
				}
			}
			t.Logf("with the seed of one process changed %d of %d files differ", differ, len(want))
			// A peer without arms plays nothing, and links that are on no path to it carry
			// nothing.
			same := 3 * (plan.TestnetOf(s).Nodes - protocol.Learners(s.ProtocolParams(), plan.TestnetOf(s).Nodes))
			// A contribution of an epoch takes one path of several, and not every link is on it.
			if once := s.ProtocolParams().Cadence().Epochs > 0; differ < len(want)-same && (!once || differ <= plan.TestnetOf(s).Nodes) {
				t.Errorf("with the seed of one process changed only %d of %d files differ", differ, len(want))
			}
		})
	}
}

// TestSitesThatKeepRunAsSimulated: processes that give few decisions play both halves as the simulator does.
func TestSitesThatKeepRunAsSimulated(t *testing.T) {
	for name, set := range map[string][]string{
		"arms":     {"learner.name=personalized", "protocol.name=phases", "privacy.mechanism=each", "privacy.epsilon=3", "testnet.nodes=8", "privacy.counts=public"},
		"features": {"learner.name=personalized-linear", "learner.personalized-linear.features=3", "protocol.name=batch", "privacy.mechanism=each-gaussian", "privacy.delta=0.00001", "world.kind=linear", "world.linear.features=3", "world.linear.instance=1"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, listen := range []string{"false", "true"} {
				c := require.Value(plan.Schema().Load(equalityFile, slices.Concat(equalitySet(), set, []string{"privacy.answers=inside", "give.sites=0", "experiment.listen=" + listen})))(t)
				runsAsSimulated(t, &c.Settings)
			}
		})
	}
}

// runsAsSimulated plays s in processes and in the simulator, fails where they differ, and returns the
// traces.
func runsAsSimulated(t *testing.T, s *config.Settings) (want map[string][]byte) {
	t.Helper()
	want = simulatedTraces(t, s)
	got := processTraces(t, s, nil)
	if len(got) != len(want) {
		t.Fatalf("%d files from processes, %d from the simulator", len(got), len(want))
	}
	lines := 0
	for name, w := range want {
		if !bytes.Equal(got[name], w) {
			t.Errorf("%s differs: %s", name, firstDifference(got[name], w))
		}
		lines += bytes.Count(w, []byte("\n"))
	}
	t.Logf("%d rounds, %d processes: %d files with %d lines are equal", s.RoundCount(), plan.TestnetOf(s).Nodes, len(want), lines)
	return want
}

// TestThePapersSystemsRunAsSimulated: the configurations of papers 000 to 003, in lockstep.
func TestThePapersSystemsRunAsSimulated(t *testing.T) {
	if os.Getenv("PEERD_LONG") == "" {
		t.Skip("scripts/show.sh simulated-is-what-runs runs it")
	}
	explored := []string{"learner.elimination.rounds=8", "learner.elimination.gap=0.2"}
	for _, c := range []struct {
		name string
		set  []string
	}{
		{"cdp-mab", nil},
		{"cdp-mab-pr", nil},
		{"cdp-mab-hetero", nil},
		{"ddp-mab", nil},
		{"ddp-mab", explored},
		{"hdp-mab", nil},
		{"hdp-mab", explored},
		{"dp-master-worker", nil},
		{"dp-decentralized", nil},
		{"ldp-fedlinucb", nil},
		{"ldp-fedlinucb", []string{"learner.linucb.records=centred"}},
		{"ldp-fedlinucb-lazy", nil},
		{"ldp-fedlinucb-local", nil},
		{"ldp-fedlinucb-raw", nil},
		{"feducb-central", nil},
		{"local-feducb", nil},
		{"local-feducb", []string{"protocol.local.schedule=logdet-private", "protocol.local.first=50", "protocol.local.growth=0"}},
		{"sdp-fedlinucb", shuffled()},
		{"sdp-fedlinucb-vector", shuffled()},
		{"sdp-fedlinucb-vector", shuffled("protocol.shuffle.honest=4", "protocol.shuffle.least=4")},
		{"sdp-fedlinucb-vector", shuffled("protocol.shuffle.honest=4", "protocol.shuffle.least=4", "experiment.noise=printed")},
		{"sdp-fedlinucb-vector", shuffled("protocol.shuffle.honest=4", "protocol.shuffle.least=4", "experiment.noise=proven")},
		{"sdp-fedlinucb", shuffled("protocol.shuffle.honest=4", "protocol.shuffle.least=4", "experiment.noise=printed")},
		{"local-feducb", []string{"protocol.name=local-printed", "protocol.local-printed.first=100", "protocol.local-printed.growth=0.5"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			loaded := require.Value(plan.Schema().Load("../../configs/"+c.name+".yaml", append(c.set, "mode=lockstep", "seed=7", fmt.Sprintf("rounds.count=%d", equalityRounds()))))(t)
			runsAsSimulated(t, &loaded.Settings)
		})
	}
}

// shuffled returns settings with which protocol shuffle has 25 batches in the rounds that are compared.
func shuffled(more ...string) []string {
	return append(more, "protocol.shuffle.every=40", fmt.Sprintf("privacy.horizon=%d", equalityRounds()))
}

func firstDifference(a, b []byte) string {
	x, y := bytes.Split(a, []byte("\n")), bytes.Split(b, []byte("\n"))
	for i := range min(len(x), len(y)) {
		if !bytes.Equal(x[i], y[i]) {
			return fmt.Sprintf("line %d: %.200s, want %.200s", i+1, x[i], y[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(x), len(y))
}
