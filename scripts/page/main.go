// Program page opens the page of a peer in a real browser, by the link that peerd page prints, and asks every view in light, dark and
// forced colours, 320 and 1,280 pixels wide: no message in the console, no request to another host, no sideways scrolling, one main
// heading and headings in order, text with contrast, and controls with names. Then it asks what people with a keyboard, without
// scripts and with a printer get. It writes a screenshot of each view, and the printed pages.
package main

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/chromedp"
)

func main() {
	out := flag.String("o", "", "folder for screenshots; none if empty")
	now := flag.String("now", "", "name of a state: the first view alone, in light colours")
	light := flag.Bool("light", false, "light colours alone")
	dark := flag.Bool("dark", false, "with -now, dark and forced colours, too")
	says := flag.String("says", "", "text that every view has, with single spaces")
	again := flag.String("again", "", "restart the peer by this command, which prints a new link, instead: an open page has to notice both")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: page [-o FOLDER] [-light] [-now STATE [-dark]] [-says TEXT] [-again COMMAND] LINK")
		os.Exit(64)
	}
	if err := check(flag.Arg(0), *out, *now, *says, *again, *light || *now != "" && !*dark); err != nil {
		fmt.Fprintln(os.Stderr, "page:", err)
		os.Exit(1)
	}
}

func check(link, out, now, says, again string, light bool) error {
	if out != "" {
		if err := os.MkdirAll(out, 0o755); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	t, end, err := open(ctx, link)
	if err != nil {
		return err
	}
	defer end()
	if again != "" {
		return t.restart(again, out)
	}
	bad, err := t.look(out, now, says, light)
	if err == nil && now == "" {
		var wrong []string
		wrong, err = t.behaviour(out)
		for _, x := range append(wrong, t.take()...) {
			fmt.Println("    wrong:", x)
			bad++
		}
	}
	if err == nil && bad > 0 {
		err = fmt.Errorf("%d things are wrong", bad)
	}
	return err
}

// look looks at every view, and returns how many things are wrong.
func (t *tab) look(out, now, says string, light bool) (bad int, err error) {
	views, schemes := []string{"", "privacy", "left", "network", "learning"}, []string{"light", "dark", "forced"}
	if now != "" {
		views = views[:1]
	}
	if light {
		schemes = schemes[:1]
	}
	for _, view := range views {
		for _, scheme := range schemes {
			for _, width := range []int64{320, 1280} {
				name := fmt.Sprintf("%s-%s-%d", cmp.Or(now, view, "now"), scheme, width)
				feature, value := "prefers-color-scheme", scheme
				if scheme == "forced" {
					feature, value = "forced-colors", "active"
				}
				if err = t.media("", feature, value); err == nil {
					err = chromedp.Do(t, chromedp.EmulateViewport(width, 900))
				}
				if err == nil {
					err = t.show(view)
				}
				if err != nil {
					return bad, fmt.Errorf("%s: %w", name, err)
				}
				found, err := t.read(findings)
				if err != nil {
					return bad, err
				}
				wrong := append(t.take(), strings.FieldsFunc(found, func(c rune) bool { return c == '\n' })...)
				sentence, err := t.read(`document.querySelector("#sentence").textContent`)
				if err != nil {
					return bad, err
				}
				text, err := t.read(`document.body.innerText.replace(/\s+/g, " ")`)
				if err != nil {
					return bad, err
				}
				if !strings.Contains(text, says) {
					wrong = append(wrong, "does not say "+says)
				}
				if err = t.shoot(out, name); err != nil {
					return bad, err
				}
				fmt.Printf("%s\t%s\n", name, sentence)
				for _, x := range wrong {
					fmt.Println("    wrong:", x)
				}
				bad += len(wrong)
			}
		}
	}
	return bad, nil
}

// shoot writes a screenshot.
func (t *tab) shoot(out, name string) error {
	if out == "" {
		return nil
	}
	shot, err := chromedp.Run(t, chromedp.FullScreenshot(100))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, name+".png"), small(shot), 0o644)
}

// small returns a picture with a palette of the 256 colours that it has most of, which takes a third of the bytes.
func small(shot []byte) []byte {
	full, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		return shot
	}
	often := make(map[color.Color]int)
	for y := range full.Bounds().Dy() {
		for x := range full.Bounds().Dx() {
			often[full.At(x, y)]++
		}
	}
	colours := slices.SortedFunc(maps.Keys(often), func(a, b color.Color) int { return cmp.Compare(often[b], often[a]) })
	p := image.NewPaletted(full.Bounds(), colours[:min(256, len(colours))])
	draw.Draw(p, p.Bounds(), full, image.Point{}, draw.Src)
	var b bytes.Buffer
	if err = (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, p); err != nil {
		return shot
	}
	return b.Bytes()
}
