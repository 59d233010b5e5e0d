package testnet

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"strings"
	"time"

	"peerd.dev/internal/config"
	"peerd.dev/internal/lab/experiment"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/node/api"
	"peerd.dev/node/api/page"
)

// A board is a page in a browser that shows all sites; nil shows nothing.
type board struct {
	net     *Net
	page    *page.Board
	address string
}

// openBoard serves the page on a free port of the loopback interface, and returns it with a function that ends it. Open opens the link.
func (t *Net) openBoard(ctx context.Context, open func(link string)) (*board, func(), error) {
	if open == nil {
		return nil, func() {}, nil
	}
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, nil, err
	}
	b := &board{t, page.NewBoard(slog.New(slog.DiscardHandler)), "http://" + l.Addr().String()}
	server := &http.Server{Handler: b.page, ReadHeaderTimeout: time.Second}
	go func() { _ = server.Serve(l) }() // ends with Close
	open(b.address + b.page.Link())
	return b, func() { b.page.Close(); _ = server.Close() }, nil
}

// over shows the result until ctx is done, at most for a minute.
func (b *board) over(ctx context.Context, w io.Writer, doc *Document) {
	if b == nil {
		return
	}
	var text strings.Builder
	doc.say(&text, b.net.Settings)
	b.show(doc.Sites, strings.Split(strings.TrimSpace(text.String()), "\n"))
	_, _ = fmt.Fprintf(w, "the page shows this result for a minute, or until Ctrl-C; to open it now: %s\n", b.address+b.page.Link())
	select {
	case <-ctx.Done(): // the network was played to its end
	case <-time.After(time.Minute):
	}
}

// show shows the state of all peers, and what the network ended with if it is over.
func (b *board) show(all []api.Status, over []string) {
	if b == nil || all[0].ID == "" {
		return
	}
	t := b.net
	now := page.Sites{Network: all[0].Network, Rounds: t.Settings.RoundCount() % config.MostRounds, Round: all[0].Round, Regret: t.baseline.Alone != nil, As: experiment.Alone(t.Settings), Private: t.Settings.Mode == config.Live, Over: over}
	for _, e := range t.Graph.Edges() {
		now.Links = append(now.Links, []uint32{uint32(e[0]), uint32(e[1])})
	}
	if now.Regret {
		round, r := t.progress(all)
		now.Round = round
		now.Together, now.Alone = r.shown(t.selfish())
	}
	for i, d := range all {
		s := page.Site{Name: t.Names[i], Linked: d.LinksUp, Together: math.NaN(), Alone: math.NaN(), Epsilon: d.Spent, Released: d.Released, Sent: d.BytesOut}
		if t.learns(i) {
			if now.Regret {
				r := t.regrets(all, []int{i})
				s.Together, s.Alone = r.shown(t.selfish())
			}
			if best, most := plan.ArgMax(t.means(i)); most > 0 {
				s.Best = t.Settings.Arms[best]
			}
			if arg, most := plan.ArgMax(d.Means); most > 0 && arg < len(t.Settings.Arms) {
				s.Favours = t.Settings.Arms[arg]
				var sum uint64
				for _, n := range d.Pulls {
					sum += n
				}
				if len(d.Pulls) == len(d.Means) {
					s.Share = float64(d.Pulls[arg]) / float64(max(1, sum))
				}
			}
		}
		now.Sites = append(now.Sites, s)
	}
	b.page.Update(&now)
}
