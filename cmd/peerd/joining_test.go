package main

import (
	"encoding/json"
	"strings"
	"testing"

	"peerd.dev/internal/lab/joining"
)

// ask asks a small question twice, and returns the answer, which is the same.
func promised(t *testing.T, args ...string) (d joining.Document) {
	t.Helper()
	args = append([]string{"joining", "--seconds", "0", "--decisions", "300", "--late", "100", "--json"}, args...)
	c, stdout, stderr := peerd(t, args...)
	if c != exitOK || stderr != "" {
		t.Fatalf("code %d: %s%s", c, stdout, stderr)
	}
	if _, again, _ := peerd(t, args...); again != stdout {
		t.Errorf("%v: the same question has two answers:\n%s%s", args, stdout, again)
	}
	if err := json.Unmarshal([]byte(stdout), &d); err != nil || len(d.Answer) == 0 {
		t.Fatalf("%v:\n%s", err, stdout)
	}
	return d
}

// TestJoiningIsAnswered: it pays where one of many actions is best at all sites, and not where two sites are.
func TestJoiningIsAnswered(t *testing.T) {
	d := promised(t, "--sites", "12", "--actions", "8", "--best", "0.8", "--others", "0.3")
	if d.Networks != 8 || len(d.Rows) != 2 {
		t.Fatalf("%+v", d)
	}
	if start, late := d.Rows[0], d.Rows[1]; start.Saved.Low <= 0 || late.Saved.Mean <= start.Saved.Mean || start.Most[1] >= start.Most[0] || late.Site != "100 decisions later" {
		t.Errorf("%+v", d)
	}
	if len(d.Answer) != 4 || !strings.HasPrefix(d.Answer[0], "Joining saves a site ") || !strings.HasPrefix(d.Answer[1], "Joining saves a site that comes 100 decisions later ") {
		t.Errorf("%q", d.Answer)
	}
	d = promised(t, "--sites", "2")
	if d.Networks != 0 || len(d.Rows) != 0 || len(d.Answer) != 1 || !strings.HasPrefix(d.Answer[0], "Joining would not pay yet: 2 sites at ε = 1 ") {
		t.Errorf("%+v", d)
	}
	if _, text, _ := peerd(t, "joining", "--sites", "2"); text != d.Answer[0]+"\n" {
		t.Error(text)
	}
	_, text, _ := peerd(t, "joining", "--seconds", "0", "--decisions", "300", "--late", "100")
	for _, want := range []string{"\nfrom the start ", "\n100 decisions later ", "oining saves a site ", "Simulated: 8 networks of 10 sites with 5 actions", "--differ 0.1", "over seeds"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// TestJoiningNamesTheFlag that is wrong, and what is wanted.
func TestJoiningNamesTheFlag(t *testing.T) {
	for args, want := range map[string]string{
		"--sites 1":               "--sites: 1: want 2 to 200",
		"--sites 100000000":       "--sites: 1e+08: want 2 to 200",
		"--actions 1000":          "--actions: 1000: want 2 to 100",
		"--decisions 0":           "--decisions: 0: want 1 to 500000",
		"--late 10000000000":      "--late: 1e+10: want 1 to 500000",
		"--sites 200 --late 2000": "--sites² × --actions × (--decisions + --late): 6e+08: want 0 to 4e+08",
		"--epsilon 0":             "--epsilon: 0: want 0.001 to 1000",
		"--epsilon nan":           "--epsilon: NaN: want",
		"--differ 2":              "--differ: 2: want 0 to 1",
		"--best 0.2 --others 0.3": "--others: 0.3: want 0 to 0.2",
		"--others 0.3":            "--others: 0.3: want --best with it",
		"--best 1 --differ 0.1":   "[best differ]",
		"--seats 3":               "unknown flag: --seats",
	} {
		c, stdout, stderr := peerd(t, append([]string{"joining"}, strings.Fields(args)...)...)
		if c != exitUsage || stdout != "" || !strings.Contains(stderr, want) || !strings.Contains(stderr, "`peerd joining --help` shows") {
			t.Errorf("%s: code %d, %s%s, want %q", args, c, stdout, stderr, want)
		}
	}
}
