package main

import (
	"io"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
)

// progress shows how far long work is: a bar on a terminal, else a line every few
// seconds. It is safe for concurrent use.
type progress struct {
	mu  sync.Mutex
	bar *progressbar.ProgressBar
}

func newProgress(w io.Writer, what string, total uint64) *progress {
	every := 100 * time.Millisecond
	finish := progressbar.OptionClearOnFinish()
	if !isTerminal(w) {
		every = 5 * time.Second
		w = lines{w}
		finish = func(*progressbar.ProgressBar) {}
	}
	return &progress{bar: progressbar.NewOptions64(int64(total),
		progressbar.OptionSetWriter(w), progressbar.OptionSetDescription(what), progressbar.OptionThrottle(every),
		progressbar.OptionShowElapsedTimeOnFinish(), progressbar.OptionSetPredictTime(true), progressbar.OptionSetWidth(30),
		finish,
	)}
}

// add says that some more of the work is done.
func (p *progress) add(n uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.bar.Add64(int64(n)) // a bar that cannot be drawn is no reason to stop
}

func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.bar.Finish()
}

// lines turns the carriage returns of a bar into lines.
type lines struct{ w io.Writer }

func (l lines) Write(b []byte) (int, error) {
	n := len(b)
	for len(b) > 0 && (b[0] == '\r' || b[0] == '\n') {
		b = b[1:]
	}
	if len(b) == 0 {
		return n, nil
	}
	_, err := l.w.Write(append(b[:len(b):len(b)], '\n'))
	return n, err
}
