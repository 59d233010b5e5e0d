package main

import (
	"math"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"peerd.dev/internal/command"
	"peerd.dev/internal/config"
	"peerd.dev/internal/configtest"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/internal/lab/program"
	"peerd.dev/internal/require"
	"peerd.dev/node/lab/learner"
	"peerd.dev/node/lab/papers"
	"peerd.dev/node/lab/printed"
	"peerd.dev/node/lab/sim"
	"peerd.dev/node/lab/world"
)

func TestFlagsGoBeforeEnvironmentBeforeFileBeforeDefault(t *testing.T) {
	file := configtest.Write(t, configtest.Good(map[string]string{"rounds.count": "1", "privacy.horizon": "1000"}))
	read := func(set ...string) (uint64, config.Origin) {
		t.Helper()
		c := require.Value(plan.Schema().Load(file, set))(t)
		return c.Rounds.Count, c.From["rounds.count"]
	}
	if v, o := read(); v != 1 || o != config.FromFile {
		t.Errorf("file: %d from %s", v, o)
	}
	t.Setenv("PEERD_ROUNDS_COUNT", "2")
	if v, o := read(); v != 2 || o != config.FromEnv {
		t.Errorf("environment: %d from %s", v, o)
	}
	if v, o := read("rounds.count=3"); v != 3 || o != config.FromFlag {
		t.Errorf("flag: %d from %s", v, o)
	}
	if v, o := read("rounds.count=3", "rounds.count=4"); v != 4 || o != config.FromFlag {
		t.Errorf("two flags: %d from %s", v, o)
	}
	file = configtest.Write(t, configtest.Good(nil))
	t.Setenv("PEERD_ROUNDS_COUNT", "") // counts as not set
	if v, o := read(); v != 0 || o != config.FromDefault {
		t.Errorf("default: %d from %s", v, o)
	}
}

// TestEveryKeyCanBeSetByFlagAndEnvironment takes for each key a value that differs from the default: one that follows from what the key
// wants, or one of these.
func TestEveryKeyCanBeSetByFlagAndEnvironment(t *testing.T) {
	other := map[string]string{
		"mode": "lockstep", "listen": "[/ip4/127.0.0.1/tcp/9, '/ip6/::1/tcp/9']", "arms": "[x, z]", "privacy.epsilon": "inf",
		"features.context": "[hour=0..24, device=mobile|desktop]", "features.action": "[price=0..1]",
		"rounds.every": "5ms", "world.traffic": "[0.5, 1]",
		"world.bernoulli.means": "[[0.5, 1]]", "world.bernoulli.odd": "[[9, 4, 0.8]]", "world.linear.odd": "[[9, 0, -0.5]]",
		"world.changing.means": "[[0.5, 1]]", "world.gaussian.means": "[[-1, 2], [0, 1]]",
		"learner.program.command": "[python3, my.py]", "experiment.faults.partition": "[1, 5]",
		"experiment.cells":         "[{name: a, set: {experiment.alone: true}}, {set: {privacy.epsilon: [1, inf]}}]",
		"experiment.figure.panels": "[{x: bytes, regret: own, at: privacy.epsilon=1}]", "world.linear.means": "[[0.5, 0.4]]",
		"api.window": "5m", "api.reward_range": "[-1, 1]", "api.keep": "1h", "api.offer": "[all]",
	}
	for _, k := range plan.Schema().Keys() {
		want, ok := other[k.Name]
		if !ok {
			want, ok = another(t, k)
		}
		if !ok {
			t.Errorf("%s is not tried", k.Name)
			continue
		}
		for _, from := range []config.Origin{config.FromFlag, config.FromEnv, config.FromFile} {
			t.Run(string(from)+" "+k.Name, func(t *testing.T) {
				file, set := "", []string(nil)
				switch from {
				case config.FromFlag:
					set = []string{k.Name + "=" + want}
				case config.FromEnv:
					t.Setenv(config.EnvName(k.Name), want)
				default:
					file = configtest.Write(t, plan.Schema().Text("A test.\n", map[string]string{k.Name: want}))
				}
				c, problems, err := plan.Schema().Read(file, set)
				if err != nil || len(problems) > 0 {
					t.Fatal(err, problems)
				}
				if got := config.ValueText(c.Value(k.Name).Interface()); got != want || c.From[k.Name] != from {
					t.Errorf("%s from %s, want %s", got, c.From[k.Name], want)
				}
			})
		}
	}
}

// another returns a value that a parameter may have and that is not its default: an
// alternative of what it wants, or a number near the default.
func another(t *testing.T, k config.Key) (string, bool) {
	t.Helper()
	tried := strings.Split(strings.ReplaceAll(k.Want(), " or ", ", "), ", ")
	if x, err := strconv.ParseFloat(k.Default, 64); err == nil {
		tried = append(tried, strconv.FormatFloat(x+1, 'f', -1, 64), config.ValueText(x/2), config.ValueText((x+1)/2))
	}
	for _, x := range tried {
		if _, problems, err := plan.Schema().Read("", []string{k.Name + "=" + x}); x != k.Default && err == nil && len(problems) == 0 {
			return x, true
		}
	}
	return "", false
}

func TestListsAndTextNeedNoQuotesOnTheCommandLine(t *testing.T) {
	c, problems, err := plan.Schema().Read("", []string{"arms=1, b,on", "dir=5", "testnet.topology=regular(6)", "rounds.every=1m30s"})
	if err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	if got := strings.Join(c.Arms, "|"); got != "1|b|on" {
		t.Errorf("arms %s", got)
	}
	if c.Dir != "5" || plan.TestnetOf(&c.Settings).Topology != "regular(6)" || c.Rounds.Every != 90*time.Second {
		t.Errorf("%q %q %v", c.Dir, plan.TestnetOf(&c.Settings).Topology, c.Rounds.Every)
	}
}

func TestUnknownKeysAreRefusedWithTheNearest(t *testing.T) {
	for text, want := range map[string]string{
		"privacy: {epsilom: 1}":     "privacy.epsilom: 1: unknown key; did you mean privacy.epsilon?",
		"epsilon: 1":                "epsilon: 1: unknown key; did you mean privacy.epsilon?",
		"privacy: {colour: red}":    "privacy.colour: red: unknown key; `peerd config show --schema` lists all",
		"privacy: 1":                "privacy: 1: want a section with keys such as privacy.epsilon",
		"protocol: {average: fast}": "protocol.average: fast: want a section with keys such as protocol.average.consistency",
	} {
		file := configtest.Write(t, text)
		c, _, stderr := peerd(t, "config", "check", "-c", file)
		if c != exitConfig || !strings.Contains(stderr, "\n"+want+" (set by "+file+":1)\n") {
			t.Errorf("code %d, want 4 and the line %q in\n%s", c, want, stderr)
		}
	}
}

func TestUnknownFlagsAndVariablesAreRefused(t *testing.T) {
	file := configtest.Write(t, configtest.Good(nil))
	c, _, stderr := peerd(t, "config", "check", "-c", file, "--set", "privacy.epsilom=1")
	if want := "privacy.epsilom: 1: unknown key; did you mean privacy.epsilon? (set by --set privacy.epsilom)"; c != exitConfig || !strings.Contains(stderr, want) {
		t.Errorf("code %d\n%s", c, stderr)
	}
	t.Setenv("PEERD_PORT_8471_TCP", "tcp://10.0.0.1:8471") // as Kubernetes sets for a service named peerd
	if c, _, stderr = peerd(t, "config", "check", "-c", file); c != exitOK {
		t.Errorf("code %d\n%s", c, stderr)
	}
	t.Setenv("PEERD_PRIVACY_EPSILOM", "1")
	c, _, stderr = peerd(t, "config", "check", "-c", file)
	if want := "PEERD_PRIVACY_EPSILOM: 1: unknown environment variable; did you mean PEERD_PRIVACY_EPSILON?"; c != exitConfig || !strings.Contains(stderr, want) {
		t.Errorf("code %d\n%s", c, stderr)
	}
}

func TestWhoSetARefusedValueIsNamed(t *testing.T) {
	file := configtest.Write(t, configtest.Good(nil))
	t.Setenv("PEERD_PRIVACY_EPSILON", "-1")
	_, _, stderr := peerd(t, "config", "check", "-c", file)
	if want := "(set by PEERD_PRIVACY_EPSILON)"; !strings.Contains(stderr, want) {
		t.Errorf("no %q in\n%s", want, stderr)
	}
}

func TestFilesThatAreNoYAMLAreRefusedWithTheLine(t *testing.T) {
	for text, want := range map[string]string{
		"mode: live\narms: [a, b\n":  "line 1: did not find expected",
		"mode: live\nmode: lockstep": "mode: it is set on line 1 and on line 2: want it once",
		"- mode":                     "line 1: want keys with values, such as mode: live",
		"mode: live\n\tseed: 1\n":    "line 2: found a tab character",
		"mode: live\n x: 1\n":        "line 2: mapping values are not allowed in this context",
	} {
		file := configtest.Write(t, text)
		c, _, stderr := peerd(t, "config", "check", "-c", file)
		if c != exitConfig || !strings.Contains(stderr, "peerd: configuration "+file+" refused: ") || !strings.Contains(stderr, want) {
			t.Errorf("code %d, want 4 and %q in\n%s", c, want, stderr)
		}
	}
}

func TestSectionsOfCommentsAreAbsent(t *testing.T) {
	c, err := plan.Schema().Load(configtest.Write(t, configtest.Good(nil)+"\nworld:\n  # level: debug\n"), []string{"rounds.count=5"})
	if err == nil {
		t.Fatalf("%v: a section twice is an error", c)
	}
	c = require.Value(plan.Schema().Load(configtest.Write(t, configtest.Good(nil)+"\nlog:\n  # level: debug\n"), []string{"rounds.count=5", "privacy.records_per_user=2"}))(t)
	if c.Rounds.Every != time.Second || c.Privacy.Mechanism != "tree" || c.Rounds.Count != 5 {
		t.Errorf("%+v", c.Settings)
	}
}

// TestWrittenSettingsReadTheSame holds for any settings of the right types.
func TestWrittenSettingsReadTheSame(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[ -~é]{0,8}`)
		real := rapid.Float64Range(-1e300, 1e300)
		s := plan.Schema().Zero()
		s.Mode, s.Dir, s.Seed = config.Mode(text.Draw(t, "mode")), text.Draw(t, "dir"), rapid.Uint64().Draw(t, "seed")
		s.Arms, s.Listen = rapid.SliceOfN(text, 1, 4).Draw(t, "arms"), []string{text.Draw(t, "listen")}
		s.API.Offer, s.API.RewardRange = rapid.SliceOfN(text, 1, 3).Draw(t, "offer"), rapid.SliceOfN(real, 1, 2).Draw(t, "range")
		s.Features = config.Features{Context: rapid.SliceOfN(text, 1, 3).Draw(t, "context"), Action: []string{}}
		s.Privacy.Epsilon = config.Epsilon(rapid.OneOf(real, rapid.Just(math.Inf(1))).Draw(t, "epsilon"))
		s.Privacy.AcceptWeak = rapid.Bool().Draw(t, "accept")
		s.Rounds.Every = time.Duration(rapid.Int64().Draw(t, "every"))
		for _, e := range slices.Concat(learner.All(), printed.Learners()) {
			if name := e.Words().Name; len(plan.Schema().Under("learner."+name)) > 0 { // a file has nothing of one without parameters
				s.Learner.Params = s.Learner.Params.With(name, e)
			}
		}
		for _, e := range slices.Concat(papers.All(), printed.Protocols()) {
			s.Protocol.Params = s.Protocol.Params.With(e.Words().Name, e)
		}
		command := rapid.SliceOfN(text, 1, 3).Draw(t, "command")
		s.Learner.Params = s.Learner.Params.With("program", program.LearnerParams{Command: command, Timeout: 3, Parameter: real.Draw(t, "parameter")})
		for _, e := range world.Table() {
			s.World.Params = s.World.Params.With(e.Words().Name, e)
		}
		rows := rapid.SliceOfN(rapid.SliceOfN(real, 1, 3), 1, 3)
		s.World.Params = s.World.Params.With("bernoulli", world.BernoulliParams{Means: rows.Draw(t, "probabilities"), Draw: world.Draw(text.Draw(t, "draw")), Odd: rows.Draw(t, "odd")})
		s.World.Params = s.World.Params.With("changing", world.ChangingParams{Means: rows.Draw(t, "changing"), Draw: world.Draw(text.Draw(t, "drawn"))})
		s.World.Params = s.World.Params.With("gaussian", world.GaussianParams{Means: rows.Draw(t, "means"), SD: real.Draw(t, "sd"), Clip: rapid.Bool().Draw(t, "clip")})
		s.Sections = config.Params{
			"world": plan.World{Traffic: rapid.SliceOfN(real, 1, 3).Draw(t, "traffic"), Late: world.Late{Sites: 3, Every: 5, Life: 2}}, "testnet": plan.Testnet{},
			"experiment": plan.Experiment{Cells: []plan.Cell{}, Figure: plan.Figure{Panels: []plan.Panel{}}, Faults: sim.Faults{Partition: []uint64{}, Delay: rapid.Int().Draw(t, "delay")}},
		}
		file := dir + "/peerd.yaml"
		require.NoError(t, os.WriteFile(file, []byte(plan.Schema().Text("A test.\n", s.Values())), 0o600))
		c, problems, err := plan.Schema().Read(file, nil)
		if err != nil || len(problems) > 0 {
			t.Fatal(err, problems)
		}
		if !reflect.DeepEqual(c.Settings, s) {
			t.Errorf("got  %+v\nwant %+v", c.Settings, s)
		}
	})
}

// TestTheFileIsAnArgumentOrAFlag of every command that reads a configuration; both may name
// one file and not two.
func TestTheFileIsAnArgumentOrAFlag(t *testing.T) {
	good, other := configtest.Write(t, configtest.Good(nil)), configtest.Write(t, configtest.Good(map[string]string{"rounds.count": "7"}))
	for _, args := range [][]string{{good}, {"-c", good}, {good, "-c", good}} {
		c, stdout, stderr := peerd(t, append([]string{"config", "show", "--json"}, args...)...)
		if c != exitOK || !strings.Contains(stdout, good) {
			t.Errorf("%v: code %d: %s%s", args, c, stdout, stderr)
		}
	}
	takes := 0
	commands := command.NewRoot(&command.App{Stdout: t.Output(), Stderr: t.Output()}).Commands()
	for i := 0; i < len(commands); i++ {
		commands = append(commands, commands[i].Commands()...)
		if !strings.HasSuffix(commands[i].Use, " [FILE]") {
			continue
		}
		takes++
		args := append(strings.Fields(commands[i].CommandPath())[1:], "-c", good, other)
		c, _, stderr := peerd(t, args...)
		if want := "peerd: two configurations, " + good + " and " + other + "; want one\n"; c != exitUsage || !strings.HasPrefix(stderr, want) {
			t.Errorf("%v: code %d: %s", args, c, stderr)
		}
	}
	if takes < 14 {
		t.Errorf("%d commands take a file", takes)
	}
}
