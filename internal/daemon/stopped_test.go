package daemon

import (
	"testing"
	"time"

	"peerd.dev/bandit"
	"peerd.dev/gossip"
	"peerd.dev/node/api"
	"peerd.dev/protocol"
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
