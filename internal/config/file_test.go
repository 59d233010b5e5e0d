package config_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"peerd.dev/internal/config"
	"peerd.dev/internal/configtest"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/internal/require"
)

// refusal returns the problems of a configuration, a line each.
func refusal(t *testing.T, file string, set ...string) string {
	t.Helper()
	_, err := plan.Schema().Load(file, set)
	if err == nil {
		return ""
	}
	if !errors.Is(err, config.ErrRefused) {
		t.Errorf("%s: %v is no refusal", file, err)
	}
	return err.Error() + "\n"
}

// TestNothingInAFileIsIgnored: what has no meaning, or two, is refused, always in the same words.
func TestNothingInAFileIsIgnored(t *testing.T) {
	for file, want := range map[string]string{
		"keys-in-two-spellings/a.yaml":            "privacy.EPSILON: it is set on line 4 and on line 5: want it once",
		"keys-in-two-spellings/b.yaml":            "privacy.Epsilon: it is set on line 4 and on line 5: want it once",
		"keys-in-two-spellings/c.yaml":            "privacy.epsilon: it is set on line 4 and on line 5: want it once",
		"key-without-value/a.yaml":                "privacy.5: unknown key; a decimal number has a point (set by testdata/key-without-value/a.yaml:3)",
		"key-without-value/b.yaml":                "privacy.horizonn: unknown key; did you mean privacy.horizon? (set by testdata/key-without-value/b.yaml:5)",
		"actions-that-are-numbers/a.yaml":         `arms: item 0 is a number (0): put names in quotes: ["0", "1", "2"] (set by testdata/actions-that-are-numbers/a.yaml:1)`,
		"actions-that-are-numbers/b.yaml":         `arms: item 0 is a number (010): put names in quotes: ["010", "8"] (set by testdata/actions-that-are-numbers/b.yaml:1)`,
		"actions-that-are-numbers/c.yaml":         `arms: item 0 is a truth value (true): put names in quotes: ["true", "false"] (set by testdata/actions-that-are-numbers/c.yaml:1)`,
		"actions-that-are-numbers/d.yaml":         `arms: item 0 is a date (2024-01-01): put names in quotes: ["2024-01-01", "2024-01-02"] (set by testdata/actions-that-are-numbers/d.yaml:1)`,
		"names-with-control-characters/arms.yaml": "items 0 and 1 are the same name, café (set by testdata/names-with-control-characters/arms.yaml:1)",
	} {
		first := refusal(t, "testdata/"+file)
		if !strings.Contains(first, " refused: 1 problem\n") || !strings.HasSuffix(first, want+"\n") {
			t.Errorf("%s: want %s and nothing else in\n%s", file, want, first)
		}
		for range 29 {
			if again := refusal(t, "testdata/"+file); again != first {
				t.Fatalf("%s: now\n%safter\n%s", file, again, first)
			}
		}
	}
}

// TestWhatYAMLCanSay works or is refused with a reason.
func TestWhatYAMLCanSay(t *testing.T) {
	laughs := "a: &a [x, x, x, x, x, x, x, x, x, x]\n"
	for i := range 9 {
		of := "*" + string(rune('a'+i))
		laughs += string(rune('b'+i)) + ": &" + string(rune('b'+i)) + " [" + strings.Repeat(of+", ", 9) + of + "]\n"
	}
	const good = "arms: [a, b]\nprivacy: {epsilon: 1}\n"
	for text, want := range map[string]string{
		good:                     "",
		"\ufeff" + good:          "",
		"---\n" + good + "...\n": "",
		`{"arms": ["a", "b"], "privacy": {"epsilon": 1}}`:                               "",
		"arms: [yes, no]\nprivacy.epsilon: 1\n":                                         "",
		"arms: &names [a, b]\nlisten: &at [/ip4/127.0.0.1/tcp/0]\nprivacy.epsilon: 1\n": "",
		good + "log:\nseed:\nprivacy.calibration:\n":                                    "",
		good + "privacy.horizon: 7\n":                                                   "",
		good + "PRIVACY.horizon: 7\n":                                                   "PRIVACY.horizon: 7: unknown key; did you mean privacy.horizon?",
		good + "Mode: live\n":                                                           "Mode: live: unknown key; did you mean mode?",
		good + "mode: live\nMODE: live\n":                                               "MODE: it is set on line 3 and on line 4: want it once",
		good + "log: {level: info}\nlog: {format: json}\n":                              "log: it is set on line 3 and on line 4: want it once",
		good + "log:\nLog:\n":                                                           "Log: it is set on line 3 and on line 4: want it once",
		good + "logs:\n":                                                                "logs: unknown key; `peerd config show --schema` lists all",
		good + "logs: {}\n":                                                             "logs: {}: unknown key",
		good + "listen: {}\n":                                                           "listen: a section: want a list of different addresses",
		good + "log: []\n":                                                              "log: []: want a section with keys such as log.level",
		good + "seed: !!null ~\n":                                                       "seed: want a whole number",
		good + "rounds: {<<: {every: 5s}}\n":                                            "line 3: want the name of a setting before a colon; no list, alias or << is read there",
		good + "[a]: b\n":                                                               "line 3: want the name of a setting before a colon",
		good + "log: &l {level: info}\nstore: *l\n":                                     "store: line 4: a section cannot be an alias: write its keys here",
		good + "---\nprivacy: {epsilon: 9}\n":                                           "a second document begins here: want one",
		good + "\tlog: x\n":                                                             "found character that cannot start any token",
		good + "dir: \xff\n":                                                            "invalid",
		good + "dir: \"\x00\"\n":                                                        "control characters are not allowed",
		laughs + "arms: *i\nprivacy: {epsilon: 1}\n":                                    "arms: document contains excessive aliasing",
		"arms: &a [*a]\nprivacy: {epsilon: 1}\n":                                        "arms: anchor 'a' value contains itself",
		"[privacy]\nepsilon = 1\n":                                                      "line 1: ",
		"arms: [a, ~]\nprivacy.epsilon: 1\n":                                            `arms: item 1 is null (~): put names in quotes: ["a", "~"]`,
		"arms: [a, ' b']\nprivacy.epsilon: 1\n":                                         "item 1 has a blank at an end",
		"arms: [a, \"\\u202Eb\"]\nprivacy.epsilon: 1\n":                                 "item 1 has the control or format character U+202E",
		"arms: [a, \"b\\nc\"]\nprivacy.epsilon: 1\n":                                    "item 1 has the control or format character U+000A",
		good + "experiment: {cells: [{set: {arms: [010, 8]}}]}\n":                       `experiment.cells: item 0 is a number (010)`,
		good + "experiment: {cells: [{set: {privacy.epsilon: 1, Privacy.Epsilon: 2}}]}\n": "experiment.cells[0].set.Privacy.Epsilon: it is set on line 3 and on line 3",
		good + "experiment: {cells: [{set: {privacy.epsilon: }}]}\n":                      "item 0 has no value for privacy.epsilon",
		good + "experiment: {cells: [{Name: a, NAME: b}]}\n":                              "experiment.cells[0].NAME: it is set on line 3 and on line 3",
	} {
		got := refusal(t, configtest.Write(t, text))
		if (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%.200q: want %q in\n%s", text, want, got)
		}
	}
}

// TestOneSpellingOfAKey for every source.
func TestOneSpellingOfAKey(t *testing.T) {
	file := configtest.Write(t, configtest.Good(nil))
	if got := refusal(t, file, "privacy.epsilon=2", "Privacy.Epsilon=1"); !strings.HasSuffix(got, "Privacy.Epsilon: 1: unknown key; did you mean privacy.epsilon? (set by --set Privacy.Epsilon)\n") {
		t.Error(got)
	}
	t.Setenv("PEERD_PRIVACY_EPSILON", "1")
	t.Setenv("Peerd_Privacy_Epsilon", "2")
	if got := refusal(t, file); !strings.HasSuffix(got, "Peerd_Privacy_Epsilon: 2: unknown environment variable; did you mean PEERD_PRIVACY_EPSILON?\n") {
		t.Error(got)
	}
}

// TestANetworkFileIsOneDocument, too.
func TestANetworkFileIsOneDocument(t *testing.T) {
	file := t.TempDir() + "/network.yaml"
	require.NoError(t, config.WriteNetwork(file, configtest.ThreeSites()))
	require.Value(config.ReadNetwork(file))(t)
	text, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(file, append(text, "---\nname: other\n"...), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := config.ReadNetwork(file); !errors.Is(err, config.ErrRefused) || !strings.Contains(err.Error(), "a second document begins here") {
		t.Error(err)
	}
}

// TestNamesCanBeToldApart in a network file, and where actions are added; a name of an earlier version stays.
func TestNamesCanBeToldApart(t *testing.T) {
	for name, want := range map[string]string{
		"east\u0301": "", "e\u202Ast": "U+202A", "e\x1b[31m": "U+001B", " east": "blank at an end", "\u00a0": "is blank", "sou\u0301th": "another name than the peers before",
	} {
		n := configtest.ThreeSites()
		n.Peers[0].Name, n.Peers[1].Name = "so\u00fath", name
		got := ""
		for _, p := range n.ValidatePeers() {
			got += p.String()
		}
		if (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	c := require.Value(plan.Schema().Load(configtest.Write(t, configtest.Good(map[string]string{"spare_arms": "3", "arms": "[caf\u00e9, b, c]", "world.kind": "application"})), nil))(t)
	for name, want := range map[string]string{"d": "", "d\t": "blank at an end", "d\u202E": "U+202E", "cafe\u0301": "there is an action", "old\x1b": "U+001B"} {
		was, is := configtest.ThreeSites(), configtest.ThreeSites()
		was.Version, was.Settings, is.Settings = 2, c.SharedSettings(), c.SharedSettings()
		was.Added = []string{"old\x1b"} // of a build that did not look
		is.Version, is.Added = 3, []string{"old\x1b", name}
		if err := c.CheckChange(was, is); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", name, err, want)
		}
	}
}
