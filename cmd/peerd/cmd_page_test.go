package main

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"peerd.dev/internal/peerdtest"
	"peerd.dev/node/api"
)

// TestAPageIsOpened: peerd page prints a link that works once, opens it in a browser unless asked for JSON or for the address alone, and
// says what is missing where it cannot. The link is in no argument, which other users see, but in a file of the user alone.
func TestAPageIsOpened(t *testing.T) {
	root := peerdtest.Dir(t)
	opened := filepath.Join(root, "opened")
	if err := os.WriteFile(filepath.Join(root, "xdg-open"), []byte("#!/bin/sh\necho \"$1\" >>"+opened+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", root+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("DISPLAY", ":0")
	addrs := freeAddrs(t, 2)
	folder := func(name, addr, listen string) string {
		dir := filepath.Join(root, name)
		does(t, "init", "--dir", dir, "--set", "arms=[red, green]", "--set", "privacy.epsilon=1", "--set", "rounds.every=50ms", "--set", "listen=["+addr+"]",
			"--set", "api.listen="+listen)
		does(t, "network", "new", "--dir", dir, "--name", "clinics", "--peer", name, "--addr", addr)
		return dir
	}
	with, without := folder("a", addrs[0], "127.0.0.1:0"), folder("b", addrs[1], "")
	if c, _, stderr := peerd(t, "page", "--dir", with); c != exitNetwork || !strings.Contains(stderr, "the peer does not run: peerd run --dir ") {
		t.Errorf("a peer that does not run: code %d, %s", c, stderr)
	}
	runs(t, with)
	runs(t, without)
	var link api.PageLink
	eventually(t, "a link", func() bool {
		c, stdout, _ := peerd(t, "page", "--dir", with, "--json")
		return c == exitOK && json.Unmarshal([]byte(stdout), &link) == nil
	})
	for _, want := range []int{http.StatusOK, http.StatusUnauthorized} {
		res, wrong := http.Get(link.URL)
		if wrong != nil {
			t.Fatal(wrong)
		}
		if _ = res.Body.Close(); res.StatusCode != want {
			t.Errorf("the link: %s, want %d", res.Status, want)
		}
	}
	if out := does(t, "page", "--dir", with, "--print"); !strings.Contains(out, "  http://127.0.0.1:") || !strings.Contains(out, api.PagePrefix) {
		t.Error(out)
	}
	shown := does(t, "page", "--dir", with)
	var args []byte
	var err error
	eventually(t, "a browser", func() bool {
		args, err = os.ReadFile(opened)
		return err == nil && len(args) > 0
	})
	file := strings.TrimSpace(string(args))
	b, err := os.ReadFile(file)
	info, wrong := os.Stat(file)
	if err = errors.Join(err, wrong); err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("browsers opened %q: %v", args, err)
	}
	url := regexp.MustCompile(`url=([^"]+)"`).FindSubmatch(b)
	if strings.Contains(file, "code") || url == nil || !strings.Contains(shown, string(url[1])) {
		t.Errorf("browsers opened %q with %s, and peerd page says %s", args, b, shown)
	}
	eventually(t, "what is missing", func() bool {
		c, _, stderr := peerd(t, "page", "--dir", without)
		return c == exitNetwork && strings.Contains(stderr, "set api.listen to an address of this machine")
	})
}
