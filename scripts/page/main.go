// Program page opens the page of a peer in a real browser, by the link that peerd page prints, and asks every view in light, dark and
// forced colours, 320 and 1,280 pixels wide: no message in the console, no request to another host, no sideways scrolling, one main
// heading and headings in order, text with contrast, and controls with names. It writes a screenshot of each.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

func main() {
	out := flag.String("o", ".", "folder for screenshots")
	now := flag.String("now", "", "name of a state: the first view alone, in light colours")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: page [-o FOLDER] LINK")
		os.Exit(64)
	}
	if err := check(flag.Arg(0), *out, *now); err != nil {
		fmt.Fprintln(os.Stderr, "page:", err)
		os.Exit(1)
	}
}

// browser returns the browser of this machine.
func browser() (string, error) {
	for _, name := range []string{"chromium-headless-shell", "chromium", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("no browser is here: apt-get install --no-install-recommends chromium-headless-shell")
}

// noise collects what a page may not cause.
type noise struct {
	mu   sync.Mutex
	host string
	all  []string
}

func (n *noise) hear(ev any) {
	text := ""
	switch ev := ev.(type) {
	case *runtime.EventConsoleAPICalled:
		text = fmt.Sprint("console: ", ev.Type)
	case *log.EventEntryAdded:
		text = "console: " + ev.Entry.Text
	case *runtime.EventExceptionThrown:
		text = "exception: " + ev.ExceptionDetails.Text
	case *network.EventRequestWillBeSent:
		if u, err := url.Parse(ev.Request.URL); err != nil || u.Host != n.host {
			text = "request: " + ev.Request.URL
		}
	}
	if text != "" {
		n.mu.Lock()
		n.all = append(n.all, text)
		n.mu.Unlock()
	}
}

func (n *noise) take() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	all := n.all
	n.all = nil
	return all
}

// findings is a program that returns what is wrong with the open page, a line each.
const findings = `(() => {
	const wrong = [];
	if (document.documentElement.scrollWidth > innerWidth) wrong.push("scrolls sideways: " + document.documentElement.scrollWidth + " of " + innerWidth);
	const headings = [...document.querySelectorAll("h1,h2,h3")].map((h) => +h.tagName[1]);
	if (headings.filter((n) => n === 1).length !== 1) wrong.push("main headings: " + headings.filter((n) => n === 1).length);
	headings.forEach((n, i) => { if (i && n > headings[i - 1] + 1) wrong.push("a heading of level " + n + " follows " + headings[i - 1]); });
	const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
	if (new Set(ids).size !== ids.length) wrong.push("an id is there twice");
	for (const e of document.querySelectorAll("a,button,input,summary")) if (!e.textContent.trim()) wrong.push("no name: " + e.outerHTML);
	if (document.querySelector("b,script:not([src]),[style]")) wrong.push("a name became markup, or a style is inline");
	const parse = (c) => (c.match(/[\d.]+/g) || []).map(Number);
	const light = (c) => c.slice(0, 3).map((v) => v / 255).map((v) => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4).reduce((s, v, i) => s + v * [.2126, .7152, .0722][i], 0);
	if (!matchMedia("(forced-colors: active)").matches) for (const e of document.body.querySelectorAll("*")) {
		if (![...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim())) continue;
		const style = getComputedStyle(e);
		let ground = e;
		while (ground && (parse(getComputedStyle(ground).backgroundColor)[3] === 0)) ground = ground.parentElement;
		const a = light(parse(e.namespaceURI.endsWith("svg") ? style.fill : style.color)), b = light(parse(getComputedStyle(ground || document.body).backgroundColor));
		const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
		if (ratio < 4.5) wrong.push("contrast " + ratio.toFixed(1) + ": " + e.textContent.slice(0, 40));
	}
	return wrong.join("\n");
})()`

func check(link, out, now string) error {
	path, err := browser()
	if err != nil {
		return err
	}
	u, err := url.Parse(link)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	heard := &noise{host: u.Host}
	base, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	alloc, stop := chromedp.NewExecAllocator(base, append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox)...)
	ctx, end := chromedp.NewContext(alloc, chromedp.WithListener(heard.hear))
	defer stop()
	defer end()
	enable := chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		if _, err := cdp.Call(ctx, t, network.Enable, network.EnableParams{}); err != nil {
			return err
		}
		_, err := cdp.Call(ctx, t, log.Enable, struct{}{})
		return err
	})
	if err := chromedp.Do(ctx, enable, chromedp.Navigate(link)); err != nil {
		return err
	}
	time.Sleep(500 * time.Millisecond) // the page follows
	bad := 0
	views, schemes := []string{"", "privacy", "left", "network", "learning"}, []string{"light", "dark", "forced"}
	if now != "" {
		views, schemes = views[:1], schemes[:1]
	}
	for _, view := range views {
		for _, scheme := range schemes {
			for _, width := range []int64{320, 1280} {
				name := fmt.Sprintf("%s-%s-%d", cmp.Or(now, view, "now"), scheme, width)
				features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}
				if scheme == "forced" {
					features = []*emulation.MediaFeature{{Name: "forced-colors", Value: "active"}}
				}
				media := chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
					_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features})
					return err
				})
				if err := chromedp.Do(ctx, chromedp.EmulateViewport(width, 900), media, chromedp.Navigate(u.Scheme+"://"+u.Host+"/page/"+view)); err != nil {
					return err
				}
				time.Sleep(1200 * time.Millisecond) // an event renews the page
				wrong, err := chromedp.Run(ctx, chromedp.Evaluate[string](findings))
				if err != nil {
					return err
				}
				sentence, err := chromedp.Run(ctx, chromedp.Evaluate[string](`document.querySelector("#sentence").textContent`))
				if err != nil {
					return err
				}
				shot, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
				if err != nil {
					return err
				}
				if err := os.WriteFile(filepath.Join(out, name+".png"), shot, 0o644); err != nil {
					return err
				}
				all := heard.take()
				if wrong != "" {
					all = append(all, strings.Split(wrong, "\n")...)
				}
				bad += len(all)
				fmt.Printf("%s\t%s\n", name, sentence)
				for _, x := range all {
					fmt.Println("    wrong:", x)
				}
			}
		}
	}
	if now == "" {
		wrong, err := behaviour(ctx, u.Scheme+"://"+u.Host+"/page/")
		if err != nil {
			return err
		}
		for _, x := range append(wrong, heard.take()...) {
			fmt.Println("    wrong:", x)
			bad++
		}
	}
	if bad > 0 {
		return fmt.Errorf("%d things are wrong", bad)
	}
	return nil
}

// behaviour returns what is wrong for people with a keyboard, and without scripts: a record that was opened and has the focus keeps
// both while the page is renewed, the first stop of the keyboard skips the menu, and the page says everything without scripts.
func behaviour(ctx context.Context, page string) (wrong []string, err error) {
	expect := func(what, expression, want string) {
		var got string
		if err != nil {
			return
		}
		if got, err = chromedp.Run(ctx, chromedp.Evaluate[string](expression)); err == nil && got != want {
			wrong = append(wrong, fmt.Sprintf("%s: %q, want %q", what, got, want))
		}
	}
	if err = chromedp.Do(ctx, chromedp.Navigate(page+"left"), chromedp.KeyEvent("\t")); err != nil {
		return nil, err
	}
	expect("first stop of the keyboard", `document.activeElement.className`, "skip")
	expect("a record opens", `(() => { const d = document.querySelector("details"); d.open = true; d.querySelector("summary").focus(); return String(d.open); })()`, "true")
	time.Sleep(4 * time.Second) // the page is renewed when something is released
	expect("the record", `(() => { const d = document.activeElement.closest("details"); return d ? String(d.open) : "no focus"; })()`, "true")
	off := chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		return err
	})
	if err == nil {
		err = chromedp.Do(ctx, off, chromedp.Navigate(page))
	}
	expect("rows without scripts", `String(document.querySelectorAll("tbody tr").length > 2)`, "true")
	return wrong, err
}
