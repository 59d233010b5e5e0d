package client_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"peerd.dev/node/api/client"
)

// lineOf writes out a line of testdata/damaged.json.
func lineOf(short string) string {
	kind, id, _ := strings.Cut(short, " ")
	switch {
	case short == "T":
		return `{"table":{"version":"1","model":"1-2-3","salt":"s1","made_at":"2001-09-09T01:46:40Z","actions":[{"name":"mail","weight":1},{"name":"banner","weight":1}]}}`
	case short == "DEEP":
		return strings.Repeat("[", 100_000)
	case short == "BYTES":
		return "\xff\xfe"
	case kind == "D":
		return `{"drawn":{"ask":{"id":"` + id + `","table":"1"},"action":"mail","propensity":0.5}}`
	case kind == "R":
		return `{"reward":{"id":"` + id + `","value":0.5}}`
	}
	return short
}

// TestADamagedFileIsReadAsFarAsItCanBe: a client starts with every file of testdata/damaged.json, as those in Python and Node do, keeps
// what it can read, and says what is wrong; the file as it was is kept.
func TestADamagedFileIsReadAsFarAsItCanBe(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/damaged.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Name    string
		Lines   []string
		Torn    string
		Waiting []string
		Rewards int
		Damaged bool
	}
	if err = json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	for _, x := range cases {
		t.Run(x.Name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "peerd.jsonl")
			var b strings.Builder
			for _, l := range x.Lines {
				b.WriteString(lineOf(l) + "\n")
			}
			b.WriteString(x.Torn)
			if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
				t.Fatal(err)
			}
			for again := range 2 {
				c, err := client.New(client.Options{URL: "http://127.0.0.1:1", TableFile: file, Deadline: 1, Timeout: 1})
				if err != nil {
					t.Fatal(err)
				}
				state := c.Table()
				var ids []string
				rewards := 0
				for _, w := range c.Close() {
					ids, rewards = append(ids, w.ID), rewards+len(w.Rewards)
				}
				if strings.Join(ids, " ") != strings.Join(x.Waiting, " ") || rewards != x.Rewards || state.Version != "1" {
					t.Errorf("%v wait with %d rewards, table %q", ids, rewards, state.Version)
				}
				aside, err := os.ReadFile(file + ".damaged-1")
				if damaged := x.Damaged && again == 0; damaged != strings.Contains(state.Problem, ".damaged-1") || x.Damaged != (err == nil && string(aside) == b.String()) {
					t.Errorf("start %d: problem %q; aside: %v", again, state.Problem, err)
				}
			}
		})
	}
}

// TestAFileThatCannotBeWrittenAgainGoesOn: as on a full disk.
func TestAFileThatCannotBeWrittenAgainGoesOn(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "peerd.jsonl")
	if err := os.WriteFile(file, []byte(lineOf("T")+"\n\xff\n"+lineOf("D a")+"\n{\"torn"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(file+".new/x", 0o700); err != nil {
		t.Fatal(err)
	}
	ids := ""
	for range 2 {
		c, err := client.New(client.Options{URL: "http://127.0.0.1:1", TableFile: file, Deadline: 1})
		if err != nil {
			t.Fatal(err)
		}
		if ids == "" {
			d, wrong := c.Draw(client.Ask{ID: "b"})
			if s := c.Table().Problem; wrong != nil || d.Source != client.Drawn || !strings.Contains(s, "goes on as it is") || !strings.Contains(s, "line 2") {
				t.Errorf("%+v, %v, %s", d, wrong, s)
			}
		}
		ids = ""
		for _, w := range c.Close() {
			ids += w.ID
		}
		if ids != "ab" {
			t.Errorf("%s wait", ids)
		}
		if err = os.RemoveAll(file + ".new"); err != nil {
			t.Fatal(err)
		}
	}
}

// TestAFileHasOneClient: a second one is refused until the first has closed it.
func TestAFileHasOneClient(t *testing.T) {
	t.Parallel()
	o := client.Options{URL: "http://127.0.0.1:1", TableFile: filepath.Join(t.TempDir(), "peerd.jsonl"), Deadline: 1}
	first, err := client.New(o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = client.New(o); err == nil || !strings.Contains(err.Error(), "is used by process") {
		t.Errorf("two clients of one file: %v", err)
	}
	first.Close()
	second, err := client.New(o)
	if err != nil {
		t.Fatal(err)
	}
	second.Close()
}
