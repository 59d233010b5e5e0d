package program_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"peerd.dev/bandit"
	"peerd.dev/bandit/belief"
	"peerd.dev/internal/lab/program"
	"peerd.dev/node/lab/learner"
	"peerd.dev/node/lab/world"
	"peerd.dev/protocol"
)

// python skips a test where there is none.
func python(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed; the test plays programs in it: ", err)
	}
}

// examples is the folder of the programs that the documentation shows.
const examples = "../../../docs/examples/python/lab"

// learn returns the learner of a run of a program.
func learn(t testing.TB, run *program.Run, arms int, command ...string) (bandit.Learner, error) {
	t.Helper()
	return bandit.New(program.LearnerParams{Command: command, Timeout: 60}.In(run), bandit.Config{
		Arms: arms, Peers: 2, Horizon: 100, Leaves: 100, Epsilon: 1, Rand: rand.New(rand.NewPCG(1, 2)),
	})
}

// pay returns a site of the world of a run of a program.
func pay(run *program.Run, arms int, command ...string) (*world.Sites, bandit.World, error) {
	source, err := world.Open(program.WorldParams{Command: command, Timeout: 60}.In(run), world.Config{Arms: arms, Sites: 2})
	if err != nil {
		return nil, nil, err
	}
	sites, err := source.Sites(nil)
	if err != nil {
		return nil, nil, err
	}
	w, err := sites.World(1, nil)
	return sites, w, err
}

// TestLearnersThatArePrograms: every one that the documentation shows says all is well, chooses arms that may be chosen,
// whatever the belief, and the same with the same seed.
func TestLearnersThatArePrograms(t *testing.T) {
	python(t)
	for _, script := range []string{filepath.Join(examples, "learner.py"), "testdata/ucb.py"} {
		for _, arms := range []int{1, 3} {
			var before []bandit.Choice
			for range 2 {
				run := program.NewRun(t.Context(), 7, 100, ".")
				l, err := learn(t, run, arms, "python3", script)
				if err != nil {
					t.Fatal(err)
				}
				rng, b := rand.New(rand.NewPCG(3, 4)), belief.New(arms, 1)
				var choices []bandit.Choice
				for round := range uint64(50) {
					turn := bandit.Turn{Round: round * round * round}
					if arms > 1 && round%3 == 0 {
						turn.Excluded = []bandit.Arm{bandit.Arm(rng.IntN(arms))}
					}
					k := rng.IntN(arms) // arms are unknown at first
					n := 1 + 100*rng.Float64()
					b.X[k], b.SampleVar[k], b.LaplaceMax[k], b.LaplaceSumSq[k] = rng.NormFloat64()*math.Pow(10, rng.Float64()*9), 1/n, 1/n, 1/n/n
					b.Pulls[k]++
					c := l.Choose(&b, turn)
					if c.Arm < 0 || int(c.Arm) >= arms || len(turn.Excluded) > 0 && c.Arm == turn.Excluded[0] {
						t.Fatalf("%s: choice %+v without %v", script, c, turn.Excluded)
					}
					choices = append(choices, c)
				}
				if err := run.Close(nil); err != nil {
					t.Fatal(err)
				}
				if before == nil {
					before = choices
				}
				for i, c := range choices {
					if c != before[i] {
						t.Errorf("%s: choice %d is %v, and was %v with the same seed", script, i, c, before[i])
					}
				}
			}
		}
	}
}

// TestProtocolsThatArePrograms: the one that the documentation shows says all is well; package sim plays it.
func TestProtocolsThatArePrograms(t *testing.T) {
	python(t)
	run := program.NewRun(t.Context(), 7, 100, examples)
	for self := range protocol.Peer(2) {
		p, err := protocol.New(program.ProtocolParams{Command: []string{"python3", "protocol.py"}, Timeout: 60, Every: 1}.In(run), protocol.Config{
			Self: self, Parts: 1, Width: 1, Graph: [][]protocol.Peer{{1}, {0}},
		})
		if err != nil {
			t.Fatal(err)
		}
		var out protocol.Outbox
		if err := p.Tick(0, &out); err != nil || len(out.Envelopes()) > 0 || p.Belief().Known(0) {
			t.Errorf("%v, %d messages of nothing", err, len(out.Envelopes()))
		}
	}
	if err := run.Close(nil); err != nil {
		t.Fatal(err)
	}
}

// TestWorldsThatArePrograms: every one that the documentation shows pays from 0 to 1, on average as it says, and the same
// with the same seed.
func TestWorldsThatArePrograms(t *testing.T) {
	python(t)
	for _, arms := range []int{1, 3} {
		var before []bandit.Reward
		for range 2 {
			run := program.NewRun(t.Context(), 7, 100, examples)
			sites, w, err := pay(run, arms, "python3", "world.py")
			if err != nil {
				t.Fatal(err)
			}
			var all []bandit.Reward
			sum, regret := 0., math.Inf(1)
			for round := range uint64(400) {
				w.Turn(round)
				r, err := w.Play(0)
				if err != nil {
					t.Fatal(err)
				}
				sum += float64(r)
				all = append(all, r)
			}
			for a := range arms {
				regret = min(regret, w.Regret(bandit.Arm(a)))
			}
			if mean := sum / 400; math.Abs(mean-sites.Means[1][0]) > .1 {
				t.Errorf("mean reward %v, stated %v", mean, sites.Means[1][0])
			}
			if regret != 0 {
				t.Errorf("the best arm loses %v", regret)
			}
			if err := run.Close(nil); err != nil {
				t.Fatal(err)
			}
			if before == nil {
				before = all
			}
			for i := range all {
				if float64(all[i]) != float64(before[i]) {
					t.Fatal("other rewards with the same seed")
				}
			}
		}
	}
}

// TestAWorldMayStateItsRegret with every reward, in place of means.
func TestAWorldMayStateItsRegret(t *testing.T) {
	for _, c := range []struct{ answer, wrong string }{
		{`{"reward": 0.5, "regret": 0.25}`, ""},
		{`{"reward": 0.5}`, "regret is stated"},
		{`{"reward": 0.5, "regret": -1}`, "a regret of -1"},
	} {
		run := program.NewRun(t.Context(), 1, 10, ".")
		sites, w, err := pay(run, 3, "sh", "-c", `read x; echo '{"ok": true}'; while read x; do echo '`+c.answer+`'; done`)
		if err != nil {
			t.Fatal(err)
		}
		if sites.Means != nil || sites.Gaps() != nil {
			t.Error("means that nobody stated")
		}
		w.Turn(0)
		if _, err = w.Play(2); c.wrong == "" && (err != nil || w.Regret(2) != .25) || c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)) {
			t.Errorf("%s: %v", c.answer, err)
		}
		_ = run.Close(nil)
	}
}

// TestHostilePrograms end their run with an error that says what was wanted, within the time that they have, and none
// of them is left.
func TestHostilePrograms(t *testing.T) {
	python(t)
	for _, c := range []struct{ how, role, wrong string }{
		{"deaf", "learner", `no answer in 1s; want {"ok": true}`},
		{"early", "learner", `answered "{\"arm\": 0}": unknown field "arm"; want {"ok": true}`},
		{"refuses", "learner", `I take two arms`},
		{"dies", "learner", "without an answer; want {\"arm\": K} with K from 0 to 2 and none of excluded, or {\"index\": [...]} with 3 finite numbers; its last words:\nthe dog ate my weights"},
		{"child", "learner", "no answer in 1s"},
		{"shut", "learner", "closed its standard output, without an answer"},
		{"silent", "learner", "no answer in 1s"},
		{"rubbish", "learner", `answered "arm nought": invalid character 'a'`},
		{"endless", "learner", "wrote a line of over 1048576 bytes"},
		{"list", "learner", `answered "[0]": cannot unmarshal array`},
		{"empty", "learner", "that is not one of both"},
		{"unknown", "learner", `unknown field "arms"`},
		{"beyond", "learner", "there is no arm 3"},
		{"below", "learner", "there is no arm -1"},
		{"half", "learner", "cannot unmarshal number 0.5"},
		{"short", "learner", "an index of 2 numbers"},
		{"nan", "learner", "invalid character 'N'"},
		{"huge", "learner", "cannot unmarshal number 1e999"},
		{"both", "learner", "that is not one of both"},
		{"one line", "learner", "there is more in the line"},
		{"twice", "learner", "not asked for"},
		{"deaf", "world", `no answer in 1s; want {"means": [[...], ...]}, a row of 3 numbers`},
		{"over", "world", "a reward of 1.5"},
		{"word", "world", "cannot unmarshal string"},
		{"empty", "world", "no reward"},
		{"regret", "world", "regret is stated by means at the start"},
		{"silent", "world", "no answer in 1s"},
		{"twice", "world", "asked for"},
		{"deaf", "protocol", `no answer in 1s; want {"ok": true}`},
		{"dies", "protocol", "the dog ate my weights"},
		{"silent", "protocol", "no answer in 1s"},
		{"rubbish", "protocol", "invalid character"},
		{"twice", "protocol", "asked for"},
		{"absent", "protocol", "[1 0 0] in send: the peer has no such release"},
		{"far", "protocol", "[2 0 0] in send: 2 is no neighbour"},
		{"pair", "protocol", "[1 0] in send; want {\"send\": [[to, origin, arm], ...]"},
		{"nobody", "protocol", "[1 9 0] in send: the peer has no such release"},
		{"few", "protocol", "weights of 1 arms"},
		{"narrow", "protocol", "weights of 1 peers"},
		{"negative", "protocol", "weight -1 of arm 0"},
	} {
		t.Run(c.role+" "+c.how, func(t *testing.T) {
			t.Parallel()
			run := program.NewRun(t.Context(), 1, 100, ".")
			begin, command := time.Now(), []string{"python3", "testdata/hostile.py", c.how, c.role}
			timeout := uint64(60)
			if strings.Contains(c.wrong, "no answer") {
				timeout = 1
			}
			err := hostile(run, c.role, timeout, command)
			if err = run.Close(err); err == nil || !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("error %v, want %s", err, c.wrong)
			}
			if took := time.Since(begin); took > 50*time.Second {
				t.Errorf("it took %s", took)
			}
			gone(t, "hostile.py\x00"+c.how+"\x00"+c.role)
		})
	}
}

// hostile plays some rounds with a program.
func hostile(run *program.Run, role string, timeout uint64, command []string) error {
	if role == "world" {
		source, err := world.Open(program.WorldParams{Command: command, Timeout: timeout}.In(run), world.Config{Arms: 3, Sites: 2})
		if err != nil {
			return err
		}
		sites, err := source.Sites(nil)
		if err != nil {
			return err
		}
		w, err := sites.World(0, nil)
		for round := uint64(0); err == nil && round < 5; round++ {
			w.Turn(round)
			_, err = w.Play(0)
		}
		return err
	}
	if role == "protocol" {
		p, err := protocol.New(program.ProtocolParams{Command: command, Timeout: timeout, Every: 1}.In(run), protocol.Config{
			Parts: 3, Width: 1, Graph: [][]protocol.Peer{{1}, {0, 2}, {1}},
		})
		for round := protocol.Round(0); err == nil && round < 5; round++ {
			err = p.Tick(round, new(protocol.Outbox))
		}
		return err
	}
	l, err := bandit.New(program.LearnerParams{Command: command, Timeout: timeout}.In(run), bandit.Config{Arms: 3, Peers: 2, Rand: rand.New(rand.NewPCG(1, 2))})
	if err != nil {
		return err
	}
	b := belief.New(3, 1)
	for round := range uint64(5) {
		if c := l.Choose(&b, bandit.Turn{Round: round}); c.Arm < 0 || c.Arm > 2 {
			return errors.New("an arm that does not exist")
		}
	}
	return run.Err()
}

// gone fails if a process with these arguments runs.
func gone(t *testing.T, arguments string) {
	t.Helper()
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, name := range all {
		if b, err := os.ReadFile(name); err == nil && strings.Contains(string(b), arguments) {
			t.Errorf("%s is left", name)
		}
	}
}

// TestAStubbornProgram plays well and does not end when it should: it is ended.
func TestAStubbornProgram(t *testing.T) {
	python(t)
	run := program.NewRun(t.Context(), 1, 100, ".")
	if err := hostile(run, "learner", 1, []string{"python3", "testdata/hostile.py", "stubborn", "learner"}); err == nil || !strings.Contains(err.Error(), "no answer") {
		t.Errorf("%v", err)
	}
	run = program.NewRun(t.Context(), 1, 100, ".")
	l, err := learn(t, run, 3, "python3", "testdata/hostile.py", "stubborn", "learner")
	if err != nil {
		t.Fatal(err)
	}
	b := belief.New(3, 1)
	l.Choose(&b, bandit.Turn{Round: 3})
	if err := run.Close(nil); err != nil {
		t.Error(err)
	}
	gone(t, "hostile.py\x00stubborn")
}

// TestAProgramEndsWithItsContext, as by an interrupt, in the middle of a question.
func TestAProgramEndsWithItsContext(t *testing.T) {
	python(t)
	ctx, cancel := context.WithCancel(t.Context())
	run := program.NewRun(ctx, 1, 100, ".")
	time.AfterFunc(300*time.Millisecond, cancel)
	if err := hostile(run, "learner", 60, []string{"python3", "testdata/hostile.py", "silent", "learner", "context"}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if err := run.Close(nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	gone(t, "hostile.py\x00silent\x00learner\x00context")
}

// TestProgramsAreForTheSimulatorAlone: outside of a run a learner says its statistic and nothing more.
func TestProgramsAreForTheSimulatorAlone(t *testing.T) {
	p := program.LearnerParams{Command: []string{"true"}, Timeout: 1}
	l, err := bandit.New(p, bandit.Config{Arms: 3, Peers: 2})
	if err != nil || l.Statistic().Parts != 3 {
		t.Errorf("%v", err)
	}
	if _, err := bandit.New(p, bandit.Config{Arms: 3, Peers: 2, Rand: rand.New(rand.NewPCG(1, 2))}); err == nil || !strings.Contains(err.Error(), "simulator alone") {
		t.Errorf("%v", err)
	}
	if _, err := protocol.New(program.ProtocolParams{Command: p.Command}, protocol.Config{Graph: [][]protocol.Peer{{}}}); err == nil || !strings.Contains(err.Error(), "simulator alone") {
		t.Errorf("%v", err)
	}
	if _, _, err := pay(nil, 3, "true"); err == nil || !strings.Contains(err.Error(), "simulator alone") {
		t.Errorf("%v", err)
	}
}

// TestFilesOfACommand are looked up in the folder of the configuration first, and count by their content.
func TestFilesOfACommand(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "my.py")
	for _, text := range []string{"1", "2"} {
		if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		files, located, err := program.Files([]string{"python3", "my.py", "0.5"}, dir)
		if err != nil || len(files) != 1 || files[0].Word != "my.py" || string(files[0].Content) != text || files[0].Mode != 0o600 || !slices.Equal(located, []string{"python3", script, "0.5"}) {
			t.Fatalf("%v %v", files, err)
		}
	}
	for _, c := range []struct {
		command []string
		files   int
	}{{[]string{"program_test.go"}, 0}, {[]string{"./program_test.go"}, 1}, {[]string{"sh", "testdata/ucb.py"}, 1}, {[]string{"sh", "testdata"}, 0}, {[]string{"sh", script}, 1}} {
		if files, _, err := program.Files(c.command, dir); err != nil || len(files) != c.files {
			t.Errorf("%v: %v %v", c.command, files, err)
		}
	}
	if _, err := learn(t, program.NewRun(t.Context(), 1, 1, "."), 2, "no-such-program-"+strconv.Itoa(os.Getpid())); err == nil || !strings.Contains(err.Error(), "does not start") {
		t.Errorf("%v", err)
	}
}

// BenchmarkDecisions compares a program's speed with the same learner's in Go.
func BenchmarkDecisions(b *testing.B) {
	python(b)
	known := belief.New(5, 1)
	for k := range 5 {
		known.X[k], known.SampleVar[k], known.LaplaceSumSq[k], known.LaplaceMax[k] = .1*float64(k), .01, .01, .1
	}
	rate := func(l bandit.Learner, n int) float64 {
		begin := time.Now()
		for i := range n {
			known.X[0] += 1e-9 // a learner in Go computes what has changed
			l.Choose(&known, bandit.Turn{Round: uint64(i)})
		}
		return float64(n) / time.Since(begin).Seconds()
	}
	run := program.NewRun(b.Context(), 1, 1, ".")
	there, err := learn(b, run, 5, "python3", "testdata/ucb.py")
	if err != nil {
		b.Fatal(err)
	}
	here, err := bandit.New(learner.UCBParams{}, bandit.Config{Arms: 5, Peers: 2, Rand: rand.New(rand.NewPCG(1, 2))})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		slow, fast := rate(there, 10_000), rate(here, 1_000_000)
		b.ReportMetric(slow, "decisions/s")
		b.ReportMetric(fast, "decisions/s-in-Go")
		b.ReportMetric(fast/slow, "ratio")
	}
	if err := run.Close(nil); err != nil {
		b.Error(err)
	}
}
