package daemon

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"peerd.dev/bandit"
	"peerd.dev/gossip"
	"peerd.dev/internal/terminal"
	"peerd.dev/node/api"
	"peerd.dev/protocol"
)

const (
	silentFor = time.Hour // after which a site counts as stopped: longer than a restart or an upgrade
	material  = .05       // share of the estimates from which on a sentence says so
)

// heard remembers when other peers were last heard, also while the network changes.
type heard struct {
	now   func() time.Time
	since time.Time // when this process began
	mu    sync.Mutex
	last  map[protocol.Peer]time.Time
}

// note notes the newest signs of life.
func (h *heard) note(all []gossip.PeerStatus) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.last == nil {
		h.last = make(map[protocol.Peer]time.Time)
	}
	for i := range all {
		if o := &all[i]; o.LastSeen.After(h.last[o.Peer]) {
			h.last[o.Peer] = o.LastSeen
		}
	}
}

// silent returns when another site was last heard, and whether that is an hour ago or more.
func (h *heard) silent(p protocol.Peer, now time.Time) (seen time.Time, when string, silent bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if seen = h.last[p]; seen.After(h.since) {
		return seen, "last heard " + ago(now.Sub(seen)), now.Sub(seen) >= silentFor
	}
	return seen, "not heard since this peer started, " + ago(now.Sub(h.since)), now.Sub(h.since) >= silentFor
}

// stopped returns the other sites with a weight that have not been heard for an hour, the one with the greatest share first.
func (h *heard) stopped(weights []bandit.Weight, self protocol.Peer, now time.Time, name func(protocol.Peer) string) (all []api.Stopped) {
	for i, w := range weights {
		p := protocol.Peer(i)
		if seen, _, silent := h.silent(p, now); silent && p != self && w.Share > 0 {
			all = append(all, api.Stopped{Peer: uint32(p), Name: name(p), Share: w.Share, Rewards: w.Rewards, LastSeen: seen})
		}
	}
	slices.SortStableFunc(all, func(x, y api.Stopped) int { return cmp.Compare(y.Share, x.Share) })
	return all
}

// notice returns in a sentence what part of the estimates rests on stopped sites, the first of which has the greatest share;
// empty if the part is small.
func (h *heard) notice(all []api.Stopped, now time.Time) string {
	sum := 0.
	for i := range all {
		sum += all[i].Share
	}
	if sum < material {
		return ""
	}
	first := &all[0]
	_, when, _ := h.silent(protocol.Peer(first.Peer), now)
	rewards := "1 reward"
	if n := uint64(math.Round(first.Rewards)); n != 1 {
		rewards = terminal.Number(n) + " rewards"
	}
	text := fmt.Sprintf("%s of the estimates rests on %s of %s, %s", part(sum), rewards, first.Name, when)
	switch n := len(all) - 1; n {
	case 0:
		return text
	case 1:
		return text + ", and on 1 more site that is not heard"
	default:
		return fmt.Sprintf("%s, and on %d more sites that are not heard", text, n)
	}
}

// stopped returns the stopped sites on which estimates with a support rest, and the sentence.
func (p *live) stopped(t *Deployment, s *bandit.Support) ([]api.Stopped, string) {
	now := p.heard.now()
	all := p.heard.stopped(s.Weights, t.Self, now, func(o protocol.Peer) string { return t.Network.Peers[o].Name })
	return all, p.heard.notice(all, now)
}

// gift returns how many rewards of a peer are released, by the support of estimates, and a sentence if the network asks for more.
func (t *Deployment) gift(p protocol.Peer, s *bandit.Support) (given uint64, notice string) {
	if t.idle() || t.Spec.Privacy.NoisedCounts() || !protocol.Learns(t.Spec.Protocol, p) || t.Network.Peers[p].Absent() {
		return 0, ""
	}
	if int(p) < len(s.Weights) {
		given = uint64(math.Round(s.Weights[p].Rewards))
	}
	switch {
	case given >= t.least:
		return given, ""
	case given == 0:
		return 0, "no released reward is known here, and the network asks for " + terminal.Number(t.least)
	}
	return given, fmt.Sprintf("gives less than the network asks (%s of %s)", terminal.Number(given), terminal.Number(t.least))
}

// part names a share.
func part(share float64) string {
	names := []string{"half", "a third", "a quarter", "a fifth", "a sixth", "a seventh", "an eighth", "a ninth", "a tenth"}
	if n := int(math.Round(1 / share)); n >= 2 && n < len(names)+2 && math.Abs(share*float64(n)-1) < .1 {
		return names[n-2]
	}
	return fmt.Sprintf("%.0f %%", 100*share)
}

// ago returns how long ago something was, in days or hours.
func ago(d time.Duration) string {
	n, unit := int(d/time.Hour), "hour"
	if n >= 48 {
		n, unit = n/24, "day"
	}
	if n != 1 {
		unit += "s"
	}
	return fmt.Sprintf("%d %s ago", n, unit)
}
