package receipts

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"peerd.dev/internal/ask"
	"peerd.dev/internal/config"
	"peerd.dev/internal/daemon"
	"peerd.dev/internal/require"
	"peerd.dev/node/ledger"
)

// pair returns the folders of two peers of a network, north and south, which are open, and the id of south.
func pair(t *testing.T) (folder string, peers []*daemon.Daemon, south string) {
	t.Helper()
	folder, err := os.MkdirTemp("", "peerd") //nolint:usetesting // the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	free := require.Value(net.Listen("tcp", "127.0.0.1:0"))(t)
	address := fmt.Sprintf("/ip4/127.0.0.1/tcp/%d", free.Addr().(*net.TCPAddr).Port)
	_ = free.Close()
	n := config.Network{Name: "clinics", Start: time.Now(), Every: 20 * time.Millisecond, Links: [][2]int{{0, 1}}}
	for _, name := range []string{"north", "south"} {
		id := require.Value(daemon.Init(config.Site(), []string{"dir=" + filepath.Join(folder, name)}, false))(t)
		n.Peers = append(n.Peers, config.Member{Name: name, ID: id.ID})
	}
	n.Peers[1].Addrs = []string{address}
	file := filepath.Join(folder, "network.yaml")
	require.NoError(t, config.WriteNetwork(file, &n))
	for i, at := range []string{"/ip4/127.0.0.1/tcp/0", address} {
		c := require.Value(config.Site().Load("", []string{"dir=" + filepath.Join(folder, n.Peers[i].Name), "network=" + file, "listen=" + at, "arms=red,green", "privacy.epsilon=1"}))(t)
		d := require.Value(daemon.New(&c.Settings, daemon.Options{}, slog.New(slog.DiscardHandler)))(t)
		peers = append(peers, d)
	}
	return folder, peers, n.Peers[1].ID
}

// TestReceiptLines: while a peer runs, and after it has stopped, its folder has its neighbour's receipts and what the neighbour signed
// about its own ledger, and the ledger contains what was vouched for.
func TestReceiptLines(t *testing.T) {
	folder, peers, south := pair(t)
	ctx, stop := context.WithCancel(t.Context())
	var runs sync.WaitGroup
	for _, p := range peers {
		runs.Go(func() {
			_ = p.Run(ctx)
			_ = p.Close()
		})
	}
	defer runs.Wait()
	defer stop()
	north := filepath.Join(folder, "north")
	read := func() (all []string, err error) {
		found, err := lines(t.Context(), north)
		for _, l := range found {
			all = append(all, string(l))
		}
		return all, err
	}
	var got []string
	var err error
	for last := time.Now().Add(30 * time.Second); len(got) < 2; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(last) {
			t.Fatalf("not within 30 s: %q, %v", got, err)
		}
		got, err = read()
	}
	stop()
	runs.Wait()
	if got, err = read(); err != nil || len(got) != 2 {
		t.Fatalf("%q, %v", got, err)
	}
	var r statement
	var c statement
	if err = json.Unmarshal([]byte(got[0]), &r); err != nil || r.Kind != "receipt" || r.Witness != south || r.Records == 0 || len(r.Signature) != 128 {
		t.Errorf("%s: %v", got[0], err)
	}
	if err = json.Unmarshal([]byte(got[len(got)-1]), &c); err != nil || c.Kind != "checkpoint" || c.Peer != south || len(c.Signature) != 128 {
		t.Errorf("%s: %v", got[len(got)-1], err)
	}
	if !strings.HasPrefix(got[0], `{"kind":"receipt","witness":"12D3`) || !strings.HasPrefix(got[len(got)-1], `{"kind":"checkpoint","peer":"12D3`) {
		t.Errorf("%q", got)
	}
	all, done, err := ask.LedgerLines(t.Context(), north, false)
	if err != nil {
		t.Fatal(err)
	}
	var heads []string
	for l, err := range all {
		if err != nil {
			t.Fatal(err)
		}
		heads = append(heads, ledger.HashOf(l).String())
	}
	if err = done(); err != nil || slices.Index(heads, r.Head) != int(r.Records)-1 {
		t.Errorf("%v: the ledger does not contain %+v", err, r)
	}
	if _, err = lines(t.Context(), filepath.Join(folder, "west")); err == nil || !strings.Contains(err.Error(), "no folder") {
		t.Error(err)
	}
}
