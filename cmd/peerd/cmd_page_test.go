package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"peerd.dev/internal/command"
	"peerd.dev/internal/peerdtest"
	"peerd.dev/internal/require"
	"peerd.dev/node/api"
	"peerd.dev/node/api/page"
)

// TestAPageIsOpened: peerd page prints a link that works once, opens it in a browser unless asked for JSON or for the address alone, and
// says what is missing where it cannot. The link is in no argument, which other users see, but in a file of the user alone.
func TestAPageIsOpened(t *testing.T) {
	root := peerdtest.Dir(t)
	opened := filepath.Join(root, "opened")
	require.NoError(t, os.WriteFile(filepath.Join(root, "xdg-open"), []byte("#!/bin/sh\necho \"$1\" >>"+opened+"\n"), 0o700))
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
	peer := runs(t, without)
	var link api.PageLink
	eventually(t, "a link", func() bool {
		c, stdout, _ := peerd(t, "page", "--dir", with, "--json")
		return c == exitOK && json.Unmarshal([]byte(stdout), &link) == nil
	})
	for _, want := range []int{http.StatusOK, http.StatusUnauthorized} {
		res := require.Value(http.Get(link.URL))(t)
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
	forwards(t, without, peer)
}

// forwards checks that peerd page answers itself for a peer without api.listen, at a port that every program of the machine can ask: only the
// page, to a login of this run alone, and until it is interrupted or the peer stops.
func forwards(t *testing.T, dir string, peer *running) {
	t.Helper()
	eventually(t, "the peer answers", func() bool { c, _, _ := peerd(t, "status", "--dir", dir); return c == exitOK })
	var said saying
	begin := func() (r *running, link string) {
		ctx, stop := context.WithCancel(t.Context())
		r, said.b = &running{stop: stop, ended: make(chan code, 1)}, bytes.Buffer{}
		go func() { r.ended <- code(command.Execute(ctx, []string{"page", "--dir", dir, "--print"}, &said, &said)) }()
		t.Cleanup(func() { r.end(t) })
		eventually(t, "a link of peerd page itself", func() bool {
			link = regexp.MustCompile(`http://127\.0\.0\.1:\d+/\w+/page/enter\?code=\w+`).FindString(said.String())
			return link != ""
		})
		return r, link
	}
	ask := func(url string, change func(r *http.Request)) *http.Response {
		r := require.Value(http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil))(t)
		change(r)
		res := require.Value(http.DefaultClient.Do(r))(t)
		t.Cleanup(func() { _ = res.Body.Close() })
		return res
	}
	as := func(c *http.Cookie) func(*http.Request) { return func(r *http.Request) { r.AddCookie(c) } }
	jar := require.Value(cookiejar.New(nil))(t) // a browser's
	var before *url.URL
	for i := range 2 {
		r, link := begin()
		root, _, _ := strings.Cut(link, "/page/")
		in := ask(link, func(*http.Request) {})
		if in.StatusCode != http.StatusOK || len(in.Cookies()) != 1 {
			t.Fatal(in.Status, in.Cookies())
		}
		mine := in.Cookies()[0]
		at := require.Value(url.Parse(root + page.Prefix))(t)
		jar.SetCookies(require.Value(url.Parse(link))(t), in.Cookies())
		token, _ := os.ReadFile(filepath.Join(dir, api.TokenFile))
		for what, c := range map[string]struct {
			got  *http.Response
			want int
		}{
			"a login":           {ask(root+page.Prefix, as(mine)), http.StatusOK},
			"its events":        {ask(root+page.Prefix+"events?view=", as(mine)), http.StatusOK},
			"the link again":    {ask(link, func(*http.Request) {}), http.StatusUnauthorized},
			"a stranger":        {ask(root+page.Prefix, func(*http.Request) {}), http.StatusUnauthorized},
			"a login elsewhere": {ask("http://"+at.Host+page.Prefix, as(mine)), http.StatusNotFound},
			"a token": {ask(root+page.Prefix, func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token))) }),
				http.StatusUnauthorized},
			"another name of the machine": {ask(root+page.Prefix, func(r *http.Request) { r.Host = "attacker.example"; r.AddCookie(mine) }), http.StatusForbidden},
			"another site's page":         {ask(root+page.Prefix, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site"); r.AddCookie(mine) }), http.StatusForbidden},
			"the API":                     {ask(root+"/v1/status", as(mine)), http.StatusNotFound},
			"the API behind the page":     {ask(root+"/page/../v1/status", as(mine)), http.StatusNotFound},
		} {
			if c.got.StatusCode != c.want {
				t.Errorf("%s: %s, want %d", what, c.got.Status, c.want)
			}
		}
		if before != nil { // whoever has the earlier port now is asked by a page that is still open
			for _, c := range jar.Cookies(before) {
				if got := ask(at.Scheme+"://"+at.Host+before.Path, as(c)); c.Value == mine.Value || got.StatusCode != http.StatusNotFound {
					t.Errorf("the earlier port gets %v, which opens %s", c, got.Status)
				}
			}
		}
		if before = at; i == 0 {
			if c := r.end(t); c != exitOK {
				t.Errorf("interrupted: code %d\n%s", c, said.String())
			}
			continue
		}
		peer.end(t)
		c := <-r.ended
		if r.ended <- c; c != exitNetwork || !strings.Contains(said.String(), "has stopped, and its page with it: start it, and run peerd page again") {
			t.Errorf("the peer has stopped: code %d\n%s", c, said.String())
		}
	}
}
