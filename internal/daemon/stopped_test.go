package daemon

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/gossip"
	"peerd.dev/internal/config"
	"peerd.dev/internal/configtest"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/internal/lab/ports"
	"peerd.dev/internal/require"
	"peerd.dev/node/api"
	"peerd.dev/protocol"
	"peerd.dev/protocol/rows"
	"peerd.dev/protocol/running"
)

// TestAStoppedSiteIsSaid: once it has not been heard for an hour, with its share, its rewards and the time.
func TestAStoppedSiteIsSaid(t *testing.T) {
	now := time.Now()
	h := heard{since: now.Add(-6 * 24 * time.Hour)}
	name := func(p protocol.Peer) string { return []string{"site-1", "site-2", "site-3", "site-4"}[p] }
	seen := func(p protocol.Peer, ago time.Duration) {
		h.note([]gossip.PeerStatus{{Peer: p, LastSeen: now.Add(-ago)}})
	}
	seen(1, time.Second)
	seen(2, 5*24*time.Hour)
	seen(2, 6*24*time.Hour) // of an earlier host
	third := []bandit.Weight{{Share: 1. / 3, Rewards: 4000}, {Share: 1. / 3, Rewards: 900}, {Share: 1. / 3, Rewards: 4}}
	say := func(weights []bandit.Weight) (string, []api.Stopped) {
		all := h.stopped(weights, 0, now, name)
		return h.notice(all, now), all
	}
	if text, all := say(third); text != "a third of the estimates rests on 4 rewards of site-3, last heard 5 days ago" || len(all) != 1 || all[0].Name != "site-3" || all[0].Peer != 2 || all[0].LastSeen.IsZero() {
		t.Errorf("%q, %+v", text, all)
	}
	if text, all := say([]bandit.Weight{{Share: .97, Rewards: 4000}, {}, {Share: .03, Rewards: 4}}); text != "" || len(all) != 1 {
		t.Errorf("a small part: %q, %+v", text, all)
	}
	if text, _ := say([]bandit.Weight{{Share: .2}, {Share: .1}, {Share: .3, Rewards: 1234}, {Share: .4, Rewards: 1}}); text != "70 % of the estimates rests on 1 reward of site-4, not heard since this peer started, 6 days ago, and on 1 more site that is not heard" {
		t.Errorf("two sites: %q", text)
	}
	seen(2, 3*time.Hour)
	if text, _ := say(third); text != "a third of the estimates rests on 4 rewards of site-3, last heard 3 hours ago" {
		t.Errorf("%q", text)
	}
	seen(2, silentFor-1)
	if text, all := say(third); text != "" || all != nil {
		t.Errorf("heard in this hour: %q, %+v", text, all)
	}
	h.last, h.since = nil, now.Add(-time.Minute)
	if text, all := say(third); text != "" || all != nil {
		t.Errorf("a minute after the start: %q, %+v", text, all)
	}
	for share, want := range map[float64]string{.5: "half", .26: "a quarter", .1: "a tenth", .051: "5 %", .66: "66 %", 1: "100 %"} {
		if got := part(share); got != want {
			t.Errorf("%v: %q, want %q", share, got, want)
		}
	}
}

// TestAGiftIsWhatOthersHave: a member that has given less than is asked, or of which nothing is known, is said to; a relay, a
// former member, and members with noised counts or seen by a relay are not.
func TestAGiftIsWhatOthersHave(t *testing.T) {
	network := configtest.ThreeSites()
	network.Peers[2].Standing = "gone"
	weights := &bandit.Support{Weights: []bandit.Weight{{}, {Rewards: 1200.4}, {Rewards: 5}}}
	for _, c := range []struct {
		of, self, relays int
		least            uint64
		s                *bandit.Support
		noised           bool
		given            uint64
		notice           string
	}{
		{of: 1, s: weights, given: 1200},
		{of: 1, s: weights, given: 1200, least: 1200},
		{of: 1, s: weights, given: 1200, least: 5000, notice: "gives less than the network asks (1,200 of 5,000)"},
		{of: 0, s: weights},
		{of: 0, s: weights, least: 5000, notice: "no released reward is known here, and the network asks for 5,000"},
		{of: 1, s: new(bandit.Support), least: 5000, notice: "no released reward is known here, and the network asks for 5,000"},
		{of: 0, self: 1, relays: 1, s: weights, least: 5000},
		{of: 1, self: 0, relays: 1, s: new(bandit.Support), least: 5000},
		{of: 2, s: weights, least: 5000},
		{of: 1, s: weights, least: 5000, noised: true},
	} {
		d := Deployment{Network: network, Self: protocol.Peer(c.self), least: c.least}
		d.Spec.Protocol = running.Params{Relays: c.relays, Merge: rows.MergeMean, F: 1}
		if c.noised {
			d.Spec.Privacy.Adjacency = dp.AddOrRemove
		}
		if given, notice := d.gift(protocol.Peer(c.of), c.s); given != c.given || notice != c.notice {
			t.Errorf("%+v: %d, %q", c, given, notice)
		}
	}
}

// pair returns two linked peers, north and south, that have not run yet, and the folder of their folders.
func pair(t *testing.T) (folder string, peers []*Daemon) {
	t.Helper()
	folder, err := os.MkdirTemp("", "peerd") //nolint:usetesting // the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	free := require.Value(ports.Free(1))(t)
	address := fmt.Sprintf("/ip4/127.0.0.1/tcp/%d", free[0])
	n := config.Network{Name: "clinics", Start: time.Now(), Every: 20 * time.Millisecond, Links: [][2]int{{0, 1}}}
	for _, name := range []string{"north", "south"} {
		id := require.Value(Init(plan.Schema(), []string{"dir=" + filepath.Join(folder, name)}, false))(t)
		n.Peers = append(n.Peers, config.Member{Name: name, ID: id.ID})
	}
	n.Peers[1].Addrs = []string{address}
	file := filepath.Join(folder, "network.yaml")
	require.NoError(t, config.WriteNetwork(file, &n))
	for i, at := range []string{"/ip4/127.0.0.1/tcp/0", address} {
		c := require.Value(plan.Schema().Load("", []string{
			"dir=" + filepath.Join(folder, n.Peers[i].Name), "network=" + file, "listen=" + at, "arms=red,green", "privacy.epsilon=1",
			"learner.name=imed", "world.kind=bernoulli", "world.bernoulli.means=[[0.2, 0.8]]",
		}))(t)
		d := require.Value(New(&c.Settings, Options{}, slog.New(slog.DiscardHandler)))(t)
		peers = append(peers, d)
	}
	return folder, peers
}

// TestTheStatusNamesAStoppedSite: two peers learn together, and one of them ends. An hour later the other one's status says so.
// It also says what joining has gained, and counts what the peers count.
func TestTheStatusNamesAStoppedSite(t *testing.T) {
	_, peers := pair(t)
	ctx, stop := context.WithCancel(t.Context())
	second, stopSecond := context.WithCancel(ctx)
	var runs sync.WaitGroup
	defer func() {
		stop()
		runs.Wait()
		_ = peers[0].Close()
	}()
	defer stopSecond()
	var later atomic.Int64
	peers[0].player.(*live).heard.now = func() time.Time { return time.Now().Add(time.Duration(later.Load())) }
	end := make(chan struct{})
	runs.Go(func() { _ = peers[0].Run(ctx) })
	runs.Go(func() {
		_ = peers[1].Run(second)
		_ = peers[1].Close()
		close(end)
	})
	status := func(what string, ok func(api.Status) bool) {
		t.Helper()
		for last := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
			s, failed := peers[0].Status(t.Context())
			switch {
			case failed != nil:
				t.Fatal(failed)
			case ok(s):
				return
			case time.Now().After(last):
				t.Fatalf("not within 30 s: %s\n%+v, %+v", what, s, s.Gain)
			}
		}
	}
	status("gain", func(s api.Status) bool { return s.Gain != nil && s.Gain.Saved != nil })
	status("nothing of south, which runs", func(s api.Status) bool { return s.Stopped == nil && s.StoppedNotice == "" })
	stopSecond()
	<-end
	later.Store(int64(3*silentFor + time.Minute))
	other := peers[1].deployment.HostConfig(1, slog.New(slog.DiscardHandler))
	other.Policy[0]++
	host := require.Value(gossip.NewHost(other))(t)
	defer func() { _ = host.Close() }()
	status("a refused hello", func(s api.Status) bool {
		all, err := peers[0].Peers(t.Context())
		return err == nil && s.Refused > 0 && s.Refused <= all[0].Refused
	})
	status("south", func(s api.Status) bool {
		return len(s.Stopped) == 1 && s.Stopped[0].Name == "south" && s.Stopped[0].Share == .5 && s.Stopped[0].Rewards >= 4 &&
			s.StoppedNotice == fmt.Sprintf("half of the estimates rests on %.0f rewards of south, last heard 3 hours ago", s.Stopped[0].Rewards)
	})
}
