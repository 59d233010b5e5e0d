package api

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"iter"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"peerd.dev/node/decision"
)

// instant answers at once.
type instant struct{}

func (instant) Decide(_ context.Context, asks []decision.Ask) []decision.Outcome[decision.Decision] {
	out := make([]decision.Outcome[decision.Decision], len(asks))
	for i := range out {
		out[i].Value = decision.Decision{ID: "01JD2Z3QK8W6T9V5Y4X7R0M1NA", Action: "red", Propensity: .25, Source: decision.Learned, Counted: true, ExpiresAt: time.Unix(1e9, 0).UTC()}
	}
	return out
}

func (instant) Reward(_ context.Context, reports []decision.Report) []decision.Outcome[decision.Receipt] {
	out := make([]decision.Outcome[decision.Receipt], len(reports))
	for i, r := range reports {
		out[i].Value = decision.Receipt{ID: r.ID, Counted: true}
	}
	return out
}

func (instant) Table(context.Context) (t decision.Table, err error) { return t, err }

func (instant) Actions() []string                                      { return nil }
func (instant) Features() decision.Shape                               { return decision.Shape{} }
func (instant) Range() (least, most float64)                           { return 0, 1 }
func (instant) Status(context.Context) (Status, error)                 { return Status{}, nil }
func (instant) Privacy(context.Context) (p Privacy, err error)         { return p, err }
func (instant) Network(context.Context) (n Network, err error)         { return n, err }
func (instant) Arms(context.Context) ([]Arm, error)                    { return nil, nil }
func (instant) Peers(context.Context) ([]Peer, error)                  { return nil, nil }
func (instant) Inside(context.Context) (d Inside, err error)           { return d, err }
func (instant) Receipts(context.Context) (d LedgerReceipts, err error) { return d, err }
func (instant) Backup(context.Context, io.Writer) error                { return nil }

func (instant) Ready(context.Context) error { return nil }
func (instant) Ledger(context.Context, uint64, uint64) iter.Seq2[[]byte, error] {
	return func(func([]byte, error) bool) {}
}

// BenchmarkRequests measures requests over TCP with keep-alive, including JSON and token, by a
// client that does little. With -cpu 1, server and client share a processor.
func BenchmarkRequests(b *testing.B) {
	many := func(item string) string { return strings.TrimSuffix(strings.Repeat(item+",", 100), ",") }
	ask := `{"id":"01JD2Z3QK8W6T9V5Y4X7R0M1NA","subject":"patient 8812"}`
	reward := `{"id":"01JD2Z3QK8W6T9V5Y4X7R0M1NA","value":0.8125}`
	for _, c := range []struct{ name, path, body string }{
		{"decision", "/v1/decisions", ask},
		{"reward", "/v1/rewards", reward},
		{"decisions=100", "/v1/decisions/batch", `{"decisions":[` + many(ask) + `]}`},
		{"rewards=100", "/v1/rewards/batch", `{"rewards":[` + many(reward) + `]}`},
	} {
		b.Run(c.name, func(b *testing.B) {
			r := run(b, instant{})
			request := []byte(fmt.Sprintf("POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
				c.path, r.token, len(c.body), c.body))
			b.ReportAllocs()
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				conn, err := net.Dial("tcp", r.Addr().String())
				if err != nil {
					b.Error(err)
					return
				}
				defer func() { _ = conn.Close() }()
				in := bufio.NewReaderSize(conn, 64<<10)
				for pb.Next() {
					if _, err := conn.Write(request); err != nil {
						b.Error(err)
						return
					}
					if err := skipAnswer(in); err != nil {
						b.Error(err)
						return
					}
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
		})
	}
}

// skipAnswer reads an answer, which must have status 200.
func skipAnswer(in *bufio.Reader) error {
	length := 0
	for first := true; ; first = false {
		line, err := in.ReadSlice('\n')
		switch {
		case err != nil:
			return err
		case first && string(line) != "HTTP/1.1 200 OK\r\n":
			return fmt.Errorf("%s", line)
		case len(line) == 2:
			_, err = io.CopyN(io.Discard, in, int64(length))
			return err
		}
		if v, ok := strings.CutPrefix(string(line), "Content-Length: "); ok {
			if length, err = strconv.Atoi(strings.TrimSpace(v)); err != nil {
				return err
			}
		}
	}
}
