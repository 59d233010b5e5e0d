// Package progress shows how far long work of the laboratory is.
package progress

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"peerd.dev/internal/terminal"
)

// Progress shows the progress of long work: a bar on a terminal, else a line every few seconds.
// It is safe for concurrent use.
type Progress struct {
	mu    sync.Mutex
	bar   *progressbar.ProgressBar // nil if w is not a terminal
	w     io.Writer
	what  string
	total uint64
	done  uint64
	begin time.Time
	next  time.Time // of the next line
}

const progressLines = 5 * time.Second

// New shows on w how much of total is done.
func New(w io.Writer, what string, total uint64) *Progress {
	p := &Progress{w: w, what: what, total: total, begin: time.Now()}
	p.next = p.begin.Add(progressLines)
	if terminal.IsTerminal(w) {
		p.bar = progressbar.NewOptions64(int64(total),
			progressbar.OptionSetWriter(w), progressbar.OptionSetDescription(what), progressbar.OptionSetWidth(30),
			progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionSetPredictTime(true),
			progressbar.OptionClearOnFinish(),
		)
	}
	return p
}

// Add records that n more of the work is done.
func (p *Progress) Add(n uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += n
	if p.bar != nil {
		_ = p.bar.Add64(int64(n)) // a bar that cannot be drawn is no reason to stop
		return
	}
	if now := time.Now(); now.After(p.next) {
		p.next = now.Add(progressLines)
		share := float64(p.done) / float64(p.total)
		left := time.Duration(float64(now.Sub(p.begin)) * (1/share - 1))
		_, _ = fmt.Fprintf(p.w, "%s: %.0f %% done, about %v left\n", p.what, 100*share, left.Round(time.Second))
	}
}

// End removes the bar.
func (p *Progress) End() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		_ = p.bar.Finish()
	}
}
