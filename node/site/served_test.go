package site

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"peerd.dev/internal/require"
	"peerd.dev/node/api"
	"peerd.dev/node/decision"
	"peerd.dev/node/internal/apitest"
	"peerd.dev/node/store"
)

// served is a site behind the API, as in the daemon.
type served struct{ *Site }

func (s served) Status(ctx context.Context) (api.Status, error) {
	st, err := s.Site.Status(ctx)
	return api.Status{
		Round: st.Round, Rounds: st.Rounds, Pulls: st.Pulls, Means: st.Means, Spent: st.Spent, Left: st.Left, Released: st.Released, Skipped: st.Skipped,
		Pending: st.Pending, LedgerRecords: st.Records, BlockedReason: st.BlockedReason, Notice: st.Notice, Until: st.Until, DiskFull: st.Full,
	}, err
}

func (s served) Arms(ctx context.Context) (all []api.Arm, err error) {
	st, err := s.Site.Status(ctx)
	names := s.Actions()
	for k := range min(len(st.Means), len(names)) {
		a := api.Arm{Name: names[k], Estimate: st.Means[k], Samples: st.Samples[k], NoiseSD: st.Noise[k]}
		if k < len(st.Support.Own) {
			a.Own, a.Borrowed = st.Support.Own[k], st.Support.Borrowed[k]
		}
		all = append(all, a)
	}
	return all, err
}

func (served) Privacy(context.Context) (d api.Privacy, err error) { return d, err }

func (served) Network(context.Context) (d api.Network, err error) { return d, err }

func (served) Peers(context.Context) ([]api.Peer, error) { return nil, nil }

func (served) Inside(context.Context) (d api.Inside, err error) { return d, api.ErrGivesAll }

func (served) Backup(context.Context, io.Writer) error { return nil }

// serve runs the API of a rig's site and returns its address and the token.
func (r *rig) serve(t *testing.T) (base, token string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "p") //nolint:usetesting // t.TempDir's names are too long for sockets
	if err != nil {
		t.Fatal(err)
	}
	server := require.Value(api.NewServer(api.Config{Dir: dir, Listen: "127.0.0.1:0", Backend: served{r.s}, Version: "test"}))(t)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- server.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if failed := <-done; failed != nil {
			t.Error(failed)
		}
		_ = os.RemoveAll(dir)
	})
	secret := require.Value(os.ReadFile(filepath.Join(dir, "api.token")))(t)
	return "http://" + server.Addr().String(), strings.TrimSpace(string(secret))
}

// everything returns a hash of all that is stored.
func (r *rig) everything(t testing.TB) string {
	h := sha256.New()
	for table := store.Meta; table <= store.Peer; table++ {
		for e, err := range r.s.store.Scan(table, nil, nil) {
			if err != nil {
				t.Fatal(err)
			}
			if table == store.Meta && string(e.Key) == syncKey {
				continue // a repeated request is answered once everything before it is durable
			}
			_, _ = fmt.Fprintf(h, "%d %x %x\n", table, e.Key, e.Value)
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// TestWrongRequestsChangeNothing sends all kinds of wrong requests to a real site: each is
// refused with the right code, field and reason, and the store does not change.
func TestWrongRequestsChangeNothing(t *testing.T) {
	t.Parallel()
	x := usual(stated, AtWindow)
	x.alone = true
	r := newRig(t, x)
	r.start()
	base, token := r.serve(t)
	apitest.Wrong(t, apitest.Target{
		Base: base, Token: token, Client: &http.Client{},
		Expired: func(t testing.TB, id string) {
			r.ask(decision.Ask{ID: id})
			r.clock.add(window + every)
		},
		State: r.everything,
	})
	t.Logf("%d wrong requests", len(apitest.Cases(t)))
}
