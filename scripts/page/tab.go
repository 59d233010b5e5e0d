package main

import (
	"context"
	"fmt"
	"net/url"
	"os/exec"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// browser returns the browser of this machine.
func browser() (string, error) {
	for _, name := range []string{"chromium-headless-shell", "chromium", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("no browser is here: apt-get install --no-install-recommends chromium-headless-shell")
}

// A tab is an open page of a peer, and what it did that it may not.
type tab struct {
	context.Context
	page    string // the address of the first view
	host    string
	renewed chan struct{} // gets something when the peer has sent the part that changes

	mu    sync.Mutex
	wrong []string
}

// open opens the page of a peer by a link.
func open(ctx context.Context, link string) (*tab, func(), error) {
	path, err := browser()
	if err != nil {
		return nil, nil, err
	}
	u, err := url.Parse(link)
	if err != nil {
		return nil, nil, err
	}
	t := &tab{page: u.Scheme + "://" + u.Host + "/page/", host: u.Host, renewed: make(chan struct{}, 1)}
	alloc, stop := chromedp.NewExecAllocator(ctx, append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox)...)
	inTab, end := chromedp.NewContext(alloc, chromedp.WithListener(t.hear))
	t.Context = inTab
	enable := chromedp.Func(func(ctx context.Context, c *chromedp.Target) error {
		if _, err := cdp.Call(ctx, c, network.Enable, network.EnableParams{}); err != nil {
			return err
		}
		_, err := cdp.Call(ctx, c, log.Enable, struct{}{})
		return err
	})
	if err = chromedp.Do(t, enable, chromedp.Navigate(link)); err == nil {
		err = t.until(`String(document.querySelector("#sentence") !== null)`, "true") // the page follows
	}
	return t, func() { end(); stop() }, err
}

func (t *tab) hear(ev any) {
	text := ""
	switch ev := ev.(type) {
	case *runtime.EventConsoleAPICalled:
		text = fmt.Sprint("console: ", ev.Type)
	case *log.EventEntryAdded:
		text = "console: " + ev.Entry.Text
	case *runtime.EventExceptionThrown:
		text = "exception: " + ev.ExceptionDetails.Text
	case *network.EventEventSourceMessageReceived:
		select {
		case t.renewed <- struct{}{}:
		default:
		}
	case *network.EventRequestWillBeSent:
		if u, err := url.Parse(ev.Request.URL); err != nil || u.Host != t.host {
			text = "request: " + ev.Request.URL
		}
	}
	if text != "" {
		t.mu.Lock()
		t.wrong = append(t.wrong, text)
		t.mu.Unlock()
	}
}

// take returns what the page did that it may not, since the last call.
func (t *tab) take() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	wrong := t.wrong
	t.wrong = nil
	return wrong
}

// show opens a view and waits until an event has renewed it.
func (t *tab) show(view string) error {
	select {
	case <-t.renewed: // of the view before
	default:
	}
	if err := chromedp.Do(t, chromedp.Navigate(t.page+view)); err != nil {
		return err
	}
	return t.renew()
}

// renew waits until an event renews the page.
func (t *tab) renew() error {
	select {
	case <-t.renewed:
		return nil
	case <-time.After(20 * time.Second):
		return fmt.Errorf("no event within 20 s")
	case <-t.Done():
		return t.Err()
	}
}

// read returns the value of an expression.
func (t *tab) read(expression string) (string, error) {
	return chromedp.Run(t, chromedp.Evaluate[string](expression))
}

// until waits until an expression has a value. A page that is just being replaced has none.
func (t *tab) until(expression, want string) error {
	got, err := "", error(nil)
	for last := time.Now().Add(40 * time.Second); time.Now().Before(last); time.Sleep(50 * time.Millisecond) {
		if got, err = t.read(expression); err == nil && got == want {
			return nil
		}
	}
	return fmt.Errorf("%s is %q for 40 s, want %q: %w", expression, got, want, t.Err())
}

// media emulates a medium ("" for a screen) with a feature.
func (t *tab) media(medium, feature, value string) error {
	return chromedp.Do(t, chromedp.Func(func(ctx context.Context, c *chromedp.Target) error {
		_, err := cdp.Call(ctx, c, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: medium, Features: []*emulation.MediaFeature{{Name: feature, Value: value}}})
		return err
	}))
}
