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

// TestLearnersThatArePrograms: the one that the documentation shows says all is well, chooses arms that may be chosen,
// whatever the belief, and the same with the same seed.
func TestLearnersThatArePrograms(t *testing.T) {
	python(t)
	script := filepath.Join(examples, "learner.py")
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

// hello answers the first line of a role.
func hello(role string) string {
	if role == "world" {
		return `read x; echo '{"means": [[0.5, 0.2, 0.1], [0.5, 0.2, 0.1]]}'; `
	}
	return `read x; echo '{"ok": true}'; `
}

// TestHostilePrograms end their run with an error that says what was wanted, and none of them is left. $0 is a number that no other process sleeps for.
func TestHostilePrograms(t *testing.T) {
	const (
		deaf    = `trap "" TERM; sleep $0`
		silent  = `read x; sleep $0`
		dies    = `read x; echo the dog ate my weights >&2; exit 1`
		rubbish = `read x; echo arm nought; sleep $0`
		twice   = `read x; printf '{}\n{}\n'; sleep $0`
	)
	answers := func(text string) string { return "while read x; do echo '" + text + "'; done; sleep $0" }
	for i, c := range []struct{ role, script, wrong string }{
		{"", deaf, `no answer in 1s; want {"ok": true}`},
		{"", `echo '{"arm": 0}'; sleep $0`, `answered "{\"arm\": 0}": unknown field "arm"; want {"ok": true}`},
		{"", `read x; echo '{"error": "I take two arms"}'; sleep $0`, `I take two arms`},
		{"", `read x; echo '{"means": [[0.5], [0.5]]}'; sleep $0`, `that is no ok`},
		{"learner", dies, "without an answer; want {\"arm\": K} with K from 0 to 2 and none of excluded, or {\"index\": [...]} with 3 finite numbers; its last words:\nthe dog ate my weights"},
		{"learner", "exec 3<&0; sleep $0 <&3 &", "no answer in 1s"}, // a process of its own holds the pipes
		{"learner", "read x; exec >&-; sleep $0", "closed its standard output, without an answer"},
		{"learner", silent, "no answer in 1s"},
		{"learner", rubbish, `answered "arm nought": invalid character 'a'`},
		{"learner", `read x; head -c 3000000 /dev/zero | tr '\0' x; sleep $0`, "wrote a line of over 1048576 bytes"},
		{"learner", answers(`[0]`), `answered "[0]": cannot unmarshal array`},
		{"learner", answers(`{}`), "that is not one of both"},
		{"learner", answers(`{"arms": 0}`), `unknown field "arms"`},
		{"learner", answers(`{"arm": 3}`), "there is no arm 3"},
		{"learner", answers(`{"arm": -1}`), "there is no arm -1"},
		{"learner", answers(`{"arm": 0.5}`), "cannot unmarshal number 0.5"},
		{"learner", answers(`{"index": [1, 2]}`), "an index of 2 numbers"},
		{"learner", answers(`{"index": [1, 2, NaN]}`), "invalid character 'N'"},
		{"learner", answers(`{"index": [1, 2, 1e999]}`), "cannot unmarshal number 1e999"},
		{"learner", answers(`{"arm": 0, "index": [1, 2, 3]}`), "that is not one of both"},
		{"learner", answers(`{"arm": 0} {"arm": 0}`), "there is more in the line"},
		{"learner", `read x; printf '{"arm": 0}\n{"arm": 0}\n'; sleep $0`, "not asked for"},
		{"world", answers(`{"reward": 1.5}`), "a reward of 1.5"},
		{"world", answers(`{"reward": "1"}`), "cannot unmarshal string"},
		{"world", answers(`{}`), "no reward"},
		{"world", answers(`{"reward": 1, "regret": 0.5}`), "regret is stated by means at the start"},
		{"world", silent, "no answer in 1s"},
		{"protocol", dies, "the dog ate my weights"},
		{"protocol", silent, "no answer in 1s"},
		{"protocol", rubbish, "invalid character"},
		{"protocol", twice, "asked for"},
		{"protocol", answers(`{"send": [[1, 0, 0]]}`), "[1 0 0] in send: the peer has no such release"},
		{"protocol", answers(`{"send": [[2, 0, 0]]}`), "[2 0 0] in send: 2 is no neighbour"},
		{"protocol", answers(`{"send": [[1, 0]]}`), "[1 0] in send; want {\"send\": [[to, origin, arm], ...]"},
		{"protocol", answers(`{"send": [[1, 9, 0]]}`), "[1 9 0] in send: the peer has no such release"},
		{"protocol", answers(`{"weights": [[1, 1, 1]]}`), "weights of 1 arms"},
		{"protocol", answers(`{"weights": [[1], [1], [1]]}`), "weights of 1 peers"},
		{"protocol", answers(`{"weights": [[-1, 1, 1], [1, 1, 1], [1, 1, 1]]}`), "weight -1 of arm 0"},
	} {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			t.Parallel()
			timeout, script := uint64(20), c.script
			if strings.Contains(c.wrong, "no answer") {
				timeout = 1
			}
			if c.role != "" {
				script = hello(c.role) + script
			}
			run := program.NewRun(t.Context(), 1, 100, ".")
			command := []string{"sh", "-c", script, number(i)}
			if err := run.Close(hostile(run, c.role, timeout, command)); err == nil || !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("%s: error %v, want %s", c.script, err, c.wrong)
			}
			gone(t, number(i))
		})
	}
}

// number returns an argument that only a test of this process has.
func number(i int) string { return strconv.Itoa(1_000_000 + 100*os.Getpid() + i) }

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

// gone fails if a process with this argument runs, soon after it was killed.
func gone(t *testing.T, argument string) {
	t.Helper()
	left := func(name string) bool {
		b, err := os.ReadFile(name)
		return err == nil && strings.Contains(string(b), "\x00"+argument+"\x00")
	}
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, name := range all {
		for tries := 0; left(name); tries++ {
			if tries == 100 {
				t.Fatalf("%s is left", name)
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
}

// TestAStubbornProgram plays well and does not end when it should: it is ended.
func TestAStubbornProgram(t *testing.T) {
	run := program.NewRun(t.Context(), 1, 100, ".")
	l, err := learn(t, run, 3, "sh", "-c", hello("learner")+`trap "" TERM; read x; echo '{"arm": 0}'; sleep $0`, number(98))
	if err != nil {
		t.Fatal(err)
	}
	b := belief.New(3, 1)
	l.Choose(&b, bandit.Turn{Round: 3})
	if err := run.Close(nil); err != nil {
		t.Error(err)
	}
	gone(t, number(98))
}

// TestAProgramEndsWithItsContext, as by an interrupt, in the middle of a question.
func TestAProgramEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	run := program.NewRun(ctx, 1, 100, ".")
	time.AfterFunc(300*time.Millisecond, cancel)
	if err := hostile(run, "learner", 60, []string{"sh", "-c", hello("learner") + "sleep $0", number(99)}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if err := run.Close(nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	gone(t, number(99))
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
