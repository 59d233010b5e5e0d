package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// stops is a program that returns what is wrong with the order in which the keyboard reaches things: nothing changes the order of the
// document, and all links and records are reached.
const stops = `(() => {
	const wrong = [...document.querySelectorAll("[tabindex]")].filter((e) => e.tabIndex > 0).map((e) => "order of the keyboard: " + e.outerHTML.slice(0, 60));
	for (const e of document.querySelectorAll("a,summary")) if (e.tabIndex < 0) wrong.push("the keyboard does not reach " + e.textContent);
	return wrong.join();
})()`

// behaviour returns what is wrong for people with a keyboard, without scripts, and on paper: the first stop of the keyboard skips the
// menu, and the views follow in their order; a record that was opened and has the focus keeps both while the page is renewed; the
// page says everything without scripts.
func (t *tab) behaviour(out string) (wrong []string, err error) {
	expect := func(what, expression, want string) {
		var got string
		if err != nil {
			return
		}
		if got, err = t.read(expression); err == nil && got != want {
			wrong = append(wrong, fmt.Sprintf("%s: %q, want %q", what, got, want))
		}
	}
	do := func(f func() error) {
		if err == nil {
			err = f()
		}
	}
	tabulator := func() error { return chromedp.Do(t, chromedp.KeyEvent("\t")) }
	do(func() error { return t.show("left") })
	expect("stops of the keyboard", stops, "")
	do(tabulator)
	expect("first stop of the keyboard", `document.activeElement.className`, "skip")
	for _, title := range []string{"Now", "Promise", "What left", "Network", "Learning"} {
		do(tabulator)
		expect("next stop of the keyboard", `document.activeElement.textContent`, title)
	}
	expect("a record opens", `(() => { const d = document.querySelector("details"); d.open = true; d.querySelector("summary").focus(); return String(d.open); })()`, "true")
	do(t.renew) // when something is released
	do(t.renew)
	expect("the record", `(() => { const d = document.activeElement.closest("details"); return d ? String(d.open) : "no focus"; })()`, "true")
	do(func() error { return t.print("privacy", out) })
	do(func() error {
		off := chromedp.Func(func(ctx context.Context, c *chromedp.Target) error {
			_, err := cdp.Call(ctx, c, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
			return err
		})
		return chromedp.Do(t, off, chromedp.Navigate(t.page))
	})
	expect("rows without scripts", `String(document.querySelectorAll("tbody tr").length > 2)`, "true")
	return wrong, err
}

// print prints a view on A4 and says how many pages that takes.
func (t *tab) print(view, out string) error {
	if err := t.media("", "prefers-color-scheme", "light"); err != nil {
		return err
	}
	if err := t.show(view); err != nil {
		return err
	}
	pdf, err := chromedp.Run(t, chromedp.Action[[]byte](func(ctx context.Context, c *chromedp.Target) ([]byte, error) {
		r, err := cdp.Call(ctx, c, page.PrintToPDF, page.PrintToPDFParams{PaperWidth: 8.27, PaperHeight: 11.69})
		return r.Data, err
	}))
	if err != nil {
		return err
	}
	fmt.Printf("%s on A4: %d pages\n", view, len(regexp.MustCompile(`/Type\s*/Page\b`).FindAll(pdf, -1)))
	if out == "" {
		return nil
	}
	return os.WriteFile(filepath.Join(out, view+".pdf"), pdf, 0o644)
}

// restart restarts the peer by a command that prints a new link, and looks whether the open page notices both: that the peer is away,
// and that it is back. The peer forgets logins when it ends, so another tab opens the new link.
func (t *tab) restart(command, out string) error {
	if err := t.show(""); err != nil {
		return err
	}
	const lost = `String(document.querySelector("#age").textContent !== "")`
	if err := t.until(lost, "false"); err != nil {
		return err
	}
	restarts := exec.CommandContext(t, "bash", "-c", command)
	restarts.Stderr = os.Stderr
	link, err := restarts.Output()
	if err != nil {
		return err
	}
	if err := t.until(lost, "true"); err != nil {
		return err
	}
	text, err := t.read(`document.querySelector("#age").textContent`)
	if err != nil {
		return err
	}
	fmt.Println("the peer is away:", text)
	if err := t.shoot(out, "lost"); err != nil {
		return err
	}
	other, end := chromedp.NewContext(t)
	defer end()
	if err := chromedp.Do(other, chromedp.Navigate(strings.TrimSpace(string(link)))); err != nil {
		return err
	}
	if err := t.until(lost, "false"); err != nil {
		return err
	}
	fmt.Println("the peer is back, and the page goes on by itself")
	return t.renew()
}
