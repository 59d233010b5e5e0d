package testnet

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"peerd.dev/internal/lab/experiment"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/node/api"
	"peerd.dev/node/api/page"
)

// A board is a page in a browser that shows all sites; nil shows nothing.
type board struct {
	net  *Net
	page *page.Board
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
	b := &board{t, page.NewBoard(slog.New(slog.DiscardHandler))}
	server := &http.Server{Handler: b.page, ReadHeaderTimeout: time.Second}
	go func() { _ = server.Serve(l) }() // ends with Close
	open("http://" + l.Addr().String() + b.page.Link())
	return b, func() { b.page.Close(); _ = server.Close() }, nil
}

// show shows the state of all peers.
func (b *board) show(all []api.Status) {
	if b == nil || all[0].ID == "" {
		return
	}
	t := b.net
	now := page.Sites{Network: all[0].Network, Rounds: t.Settings.RoundCount(), Round: all[0].Round, Regret: t.baseline.Gaps != nil, As: experiment.Alone(t.Settings)}
	if now.Regret {
		round, r := t.progress(all)
		now.Round = round
		now.Together, now.Alone = r.shown(t.selfish())
	}
	for i, d := range all {
		s := page.Site{Name: t.Names[i], Linked: d.LinksUp, Epsilon: d.Spent, Released: d.Released, Sent: d.BytesOut}
		if t.learns(i) {
			if now.Regret {
				s.Regret = fmt.Sprintf("%.1f", t.regret(i, &d))
			}
			if arg, most := plan.ArgMax(d.Means); most > 0 && arg < len(t.Settings.Arms) {
				s.Favours = t.Settings.Arms[arg]
			}
		}
		var sum uint64
		for _, n := range d.Pulls {
			sum += n
		}
		for k, n := range d.Pulls {
			if sum > 0 && len(d.Pulls) == len(t.Settings.Arms) {
				s.Shares = append(s.Shares, page.Share{Action: t.Settings.Arms[k], Of: float64(n) / float64(sum)})
			}
		}
		now.Sites = append(now.Sites, s)
	}
	b.page.Update(&now)
}
