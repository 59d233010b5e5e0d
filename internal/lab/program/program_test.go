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
	"peerd.dev/internal/require"
	"peerd.dev/node/lab/learner"
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

// TestLearnersThatArePrograms: the one that the documentation shows says all is well, chooses arms that may be chosen,
// whatever the belief, and the same with the same seed.
func TestLearnersThatArePrograms(t *testing.T) {
	python(t)
	script := filepath.Join(examples, "learner.py")
	for _, arms := range []int{1, 3} {
		var before []bandit.Choice
		for range 2 {
			run := program.NewRun(t.Context(), 7, 100, ".")
			l := require.Value(learn(t, run, arms, "python3", script))(t)
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
			require.NoError(t, run.Close(nil))
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

// hello answers the first line.
const hello = `read x; echo '{"ok": true}'; `

// TestHostilePrograms end their run with an error that says what was wanted, and none of them is left. $0 is a number that no other process sleeps for.
func TestHostilePrograms(t *testing.T) {
	const (
		deaf    = `trap "" TERM; sleep $0`
		silent  = `read x; sleep $0`
		dies    = `read x; echo the dog ate my weights >&2; exit 1`
		rubbish = `read x; echo arm nought; sleep $0`
	)
	answers := func(text string) string { return "while read x; do echo '" + text + "'; done; sleep $0" }
	for i, c := range []struct {
		welcome       bool // the first line is answered well
		script, wrong string
	}{
		{false, deaf, `no answer in 1s; want {"ok": true}`},
		{false, `echo '{"arm": 0}'; sleep $0`, `answered "{\"arm\": 0}": unknown field "arm"; want {"ok": true}`},
		{false, `read x; echo '{"error": "I take two arms"}'; sleep $0`, `I take two arms`},
		{false, `read x; echo '{"ok": false}'; sleep $0`, `that is no ok`},
		{true, dies, "without an answer; want {\"arm\": K} with K from 0 to 2 and none of excluded, or {\"index\": [...]} with 3 finite numbers; its last words:\nthe dog ate my weights"},
		{true, "exec 3<&0; sleep $0 <&3 &", "no answer in 1s"}, // a process of its own holds the pipes
		{true, "read x; exec >&-; sleep $0", "closed its standard output, without an answer"},
		{true, silent, "no answer in 1s"},
		{true, rubbish, `answered "arm nought": invalid character 'a'`},
		{true, `read x; head -c 3000000 /dev/zero | tr '\0' x; sleep $0`, "wrote a line of over 1048576 bytes"},
		{true, answers(`[0]`), `answered "[0]": cannot unmarshal array`},
		{true, answers(`{}`), "that is not one of both"},
		{true, answers(`{"arms": 0}`), `unknown field "arms"`},
		{true, answers(`{"arm": 3}`), "there is no arm 3"},
		{true, answers(`{"arm": -1}`), "there is no arm -1"},
		{true, answers(`{"arm": 0.5}`), "cannot unmarshal number 0.5"},
		{true, answers(`{"index": [1, 2]}`), "an index of 2 numbers"},
		{true, answers(`{"index": [1, 2, NaN]}`), "invalid character 'N'"},
		{true, answers(`{"index": [1, 2, 1e999]}`), "cannot unmarshal number 1e999"},
		{true, answers(`{"arm": 0, "index": [1, 2, 3]}`), "that is not one of both"},
		{true, answers(`{"arm": 0} {"arm": 0}`), "there is more in the line"},
		{true, `read x; printf '{"arm": 0}\n{"arm": 0}\n'; sleep $0`, "not asked for"},
	} {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			t.Parallel()
			timeout, script := uint64(20), c.script
			if strings.Contains(c.wrong, "no answer") {
				timeout = 1
			}
			if c.welcome {
				script = hello + script
			}
			run := program.NewRun(t.Context(), 1, 100, ".")
			command := []string{"sh", "-c", script, number(i)}
			if err := run.Close(hostile(run, timeout, command)); err == nil || !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("%s: error %v, want %s", c.script, err, c.wrong)
			}
			gone(t, number(i))
		})
	}
}

// number returns an argument that only a test of this process has.
func number(i int) string { return strconv.Itoa(1_000_000 + 100*os.Getpid() + i) }

// hostile plays some rounds with a program.
func hostile(run *program.Run, timeout uint64, command []string) error {
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
	l := require.Value(learn(t, run, 3, "sh", "-c", hello+`trap "" TERM; read x; echo '{"arm": 0}'; sleep $0`, number(98)))(t)
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
	if err := hostile(run, 60, []string{"sh", "-c", hello + "sleep $0", number(99)}); !errors.Is(err, context.Canceled) {
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
}

// TestFilesOfACommand are looked up in the folder of the configuration first, and count by their content.
func TestFilesOfACommand(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "my.py")
	for _, text := range []string{"1", "2"} {
		require.NoError(t, os.WriteFile(script, []byte(text), 0o600))
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
	there := require.Value(learn(b, run, 5, "python3", "testdata/ucb.py"))(b)
	here := require.Value(bandit.New(learner.UCBParams{}, bandit.Config{Arms: 5, Peers: 2, Rand: rand.New(rand.NewPCG(1, 2))}))(b)
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
