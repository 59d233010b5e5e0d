package main

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// What open pages may cost.
const (
	wantSlower  = 1.05 // p99 of rewards with open pages, as a multiple of the one without
	wantView    = 20 * time.Millisecond
	wantSize    = 60_000
	wantPacked  = 15_000
	wantAssets  = 16_000
	askEvery    = 40 * time.Millisecond
	pagesWarmUp = 5 * time.Second
	askLength   = 15 * time.Second // of views, so that their p99 is no single answer
)

// viewPaths are the five views.
func viewPaths() []string {
	return []string{"/page/", "/page/privacy", "/page/left", "/page/network", "/page/learning"}
}

// A visitor is a browser that is logged in to the page of the first peer.
type visitor struct {
	http   http.Client
	url    string
	cookie *http.Cookie
}

func (n *network) visitor() (*visitor, error) {
	out, err := exec.Command(n.exe, "page", "--print", "--json", "-c", filepath.Join(n.dir, "s0", "peerd.yaml")).Output()
	if err != nil {
		return nil, fmt.Errorf("peerd page: %w", err)
	}
	var link struct{ URL string }
	if err = json.Unmarshal(out, &link); err != nil {
		return nil, err
	}
	v := &visitor{url: "http://" + n.addr}
	res, err := v.http.Get(link.URL)
	if err != nil {
		return nil, err
	}
	_ = res.Body.Close()
	if len(res.Cookies()) != 1 {
		return nil, errors.New("the link gave no cookie")
	}
	v.cookie = res.Cookies()[0]
	return v, nil
}

// open asks for a path.
func (v *visitor) open(path string) (io.ReadCloser, error) {
	req, err := http.NewRequest(http.MethodGet, v.url+path, nil)
	if err != nil {
		return nil, err
	}
	req.AddCookie(v.cookie)
	res, err := v.http.Do(req)
	if err != nil {
		return nil, err
	}
	if res.StatusCode != http.StatusOK {
		return nil, errors.Join(fmt.Errorf("%s: %s", path, res.Status), res.Body.Close())
	}
	return res.Body, nil
}

func (v *visitor) read(path string) ([]byte, error) {
	body, err := v.open(path)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(body)
	return b, errors.Join(err, body.Close())
}

// watch opens streams of all views in turn, and reads them until the returned function is called, which returns their bytes.
func (v *visitor) watch(n int) (stop func() int64, err error) {
	var all sync.WaitGroup
	var sum atomic.Int64
	var open []io.Closer
	stop = func() int64 {
		for _, c := range open {
			_ = c.Close()
		}
		all.Wait()
		return sum.Load()
	}
	for i := range n {
		body, err := v.open("/page/events?view=" + viewPaths()[i%5][len("/page/"):])
		if err != nil {
			stop()
			return nil, err
		}
		open = append(open, body)
		all.Go(func() {
			b, _ := io.Copy(io.Discard, body) // ends with the stream
			sum.Add(b)
		})
	}
	return stop, nil
}

// ask asks for all views in turn until the returned function is called, and returns how long each answer took.
func (v *visitor) ask() (stop func() (times, error)) {
	end, done := make(chan struct{}), make(chan error, 1)
	var took times
	go func() {
		tick := time.NewTicker(askEvery)
		defer tick.Stop()
		for i := 0; ; i++ {
			select {
			case <-end:
				done <- nil
				return
			case <-tick.C:
			}
			begin := time.Now()
			if _, err := v.read(viewPaths()[i%5]); err != nil {
				done <- err
				return
			}
			took = append(took, time.Since(begin))
		}
	}()
	return func() (times, error) {
		close(end)
		err := <-done
		slices.Sort(took)
		return took, err
	}
}

// pages measures what open pages cost.
func (l *loader) pages() ([]string, error) {
	v, err := l.net.visitor()
	if err != nil {
		return nil, err
	}
	length := time.Duration(l.seconds) * time.Second
	if _, err = l.rewarded(wantRate, pagesWarmUp); err != nil {
		return nil, err
	}
	for _, path := range viewPaths() { // the promise is computed once, with the first answer
		begin := time.Now()
		if _, err = v.read(path); err != nil {
			return nil, err
		}
		fmt.Printf("%-16s first answer %v\n", path, short(time.Since(begin)))
	}
	fmt.Printf("%d rewards/s over %d connections, %d s each, in turn\n%11s %10s %30s %28s %14s\n", wantRate, conns, l.seconds, "p99 without", "with pages", "µs of CPU a reward, both", "ms of an append with fsync", "kB of events")
	var slower, dearer []float64
	for pair := range l.pairs {
		var p99 [2]time.Duration
		var cpu, disk [2]float64
		var bytes int64
		for turn := range 2 {
			with := (turn + pair) % 2
			requests, wrong := l.prepared(wantRate, length, true)
			if wrong != nil {
				return nil, wrong
			}
			stop := func() int64 { return 0 }
			if with == 1 {
				if stop, err = v.watch(l.open); err != nil {
					return nil, err
				}
			}
			p, wrong := l.phase(requests, wantRate)
			bytes += stop()
			if wrong != nil {
				return nil, wrong
			}
			p99[with], cpu[with], disk[with] = p.at(.99), 1e6*p.server/p.rate(), float64(p.raw.at(.5))/1e6
		}
		fmt.Printf("%11v %10v %22.1f, %6.1f %20.2f, %6.2f %14d\n", short(p99[0]), short(p99[1]), cpu[0], cpu[1], disk[0], disk[1], bytes/1000)
		slower, dearer = append(slower, float64(p99[1])/float64(p99[0])), append(dearer, cpu[1]/cpu[0])
	}

	requests, err := l.prepared(wantRate, askLength, true)
	if err != nil {
		return nil, err
	}
	stop, err := v.watch(l.open)
	if err != nil {
		return nil, err
	}
	asked := v.ask()
	_, err = l.phase(requests, wantRate)
	answers, wrong := asked()
	stop()
	if err = errors.Join(err, wrong); err != nil {
		return nil, err
	}
	fmt.Printf("\n%-44s %16s %12s\n", "", "measured", "at most")
	median, low, high := medianOf(slower)
	l.row("p99 of rewards with open pages, times", fmt.Sprintf("%.3f", median), fmt.Sprint(wantSlower), low <= wantSlower)
	l.row("    interval of 95 %", fmt.Sprintf("%.3f to %.3f", low, high), "", true)
	if median > wantSlower && low <= wantSlower {
		fmt.Println("    too close to call: the limit lies within the interval; take more -pairs, or a quieter machine")
	}
	median, low, high = medianOf(dearer)
	l.row("processor time of a reward with them, times", fmt.Sprintf("%.3f", median), "", true)
	l.row("    interval of 95 %", fmt.Sprintf("%.3f to %.3f", low, high), "", true)
	l.row(fmt.Sprintf("a view under this load, p50 of %d", len(answers)), short(answers.at(.5)).String(), "", true)
	l.row("    p99", short(answers.at(.99)).String(), wantView.String(), answers.at(.99) <= wantView)
	err = l.sizes(v)
	return l.missed, err
}

// sizes measures the views and what they load.
func (l *loader) sizes(v *visitor) error {
	assets := make(map[string]bool)
	for _, path := range viewPaths() {
		b, err := v.read(path)
		if err != nil {
			return err
		}
		packed := gzipped(b)
		l.row(path+", bytes", fmt.Sprint(len(b)), fmt.Sprint(wantSize), len(b) <= wantSize)
		l.row("    compressed", fmt.Sprint(packed), fmt.Sprint(wantPacked), packed <= wantPacked)
		for _, m := range regexp.MustCompile(`(?:href|src)="([0-9a-f]+\.[^"]+)"`).FindAllSubmatch(b, -1) {
			assets["/page/"+string(m[1])] = true
		}
	}
	size := 0
	for path := range assets {
		b, err := v.read(path)
		if err != nil {
			return err
		}
		size += len(b)
	}
	l.row(fmt.Sprintf("%d files that they load, bytes", len(assets)), fmt.Sprint(size), fmt.Sprint(wantAssets), size <= wantAssets && len(assets) > 1)
	return nil
}

func gzipped(b []byte) int {
	var n counter
	w := gzip.NewWriter(&n)
	_, _ = w.Write(b) // a counter never fails
	_ = w.Close()
	return int(n)
}

type counter int

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}

// row prints a figure with its limit.
func (l *loader) row(name, got, most string, ok bool) {
	mark := ""
	if !ok {
		mark = "  OVER"
		l.miss("%s: %s, at most %s", name, got, most)
	}
	fmt.Printf("%-44s %16s %12s%s\n", name, got, most, mark)
}
