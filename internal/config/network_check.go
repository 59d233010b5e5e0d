package config

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"peerd.dev/gossip"
	"peerd.dev/gossip/topology"
	"peerd.dev/protocol"
)

// Validate returns everything that is wrong with n, in the order of the file.
func (n *Network) Validate() []Problem {
	var all refusals
	all.refuse(!regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`).MatchString(n.Name), "name", n.Name,
		"1 to 64 letters, digits, dots, dashes and underscores")
	all.refuse(n.Start.IsZero(), "start", n.Start.Format(time.RFC3339), "the time of round 0, such as 2026-01-02T15:04:05Z")
	all.refuse(n.Every < time.Millisecond || n.Every > 24*time.Hour, "every", n.Every, "a duration from 1ms to 24h")
	all.refuse(len(n.Peers) < 2, "peers", len(n.Peers), "at least 2")
	return append(append(all, n.ValidatePeers()...), n.validateLinks()...)
}

// refusals are what is wrong with a network.
type refusals []Problem

// refuse adds a value that is bad, and what is wanted.
func (all *refusals) refuse(bad bool, key string, value any, want string) {
	if bad {
		*all = append(*all, Problem{Key: key, Value: short(ValueText(value)), Reason: "want " + want})
	}
}

// ValidatePeers returns what is wrong with the peers.
func (n *Network) ValidatePeers() []Problem {
	var all refusals
	names, ids := make(map[string]bool), make(map[string]bool)
	for i, m := range n.Peers {
		at := fmt.Sprintf("peers[%d].", i)
		why := nameTrouble(m.Name)
		all.refuse(why != "", at+"name", m.Name, "a name; this one "+why)
		name, id := norm.NFC.String(m.Name), gossip.PlainID(m.ID)
		all.refuse(names[name], at+"name", m.Name, "another name than the peers before")
		_, err := gossip.NewKeyring("any", []string{m.ID})
		all.refuse(err != nil, at+"id", m.ID, "what `peerd id` prints at that peer")
		all.refuse(ids[id], at+"id", m.ID, "another id than the peers before")
		names[name], ids[id] = true, true
		for _, a := range m.Addrs {
			if why := gossip.CheckAddress(a); why != nil {
				all = append(all, Problem{Key: at + "addrs", Value: short(a), Reason: "want an address to dial; " + why.Error()})
			}
		}
		if why := (gossip.PeerInfo{ID: m.ID, Addrs: m.Addrs}).Check(); why != nil && err == nil && !named(all, at+"addrs") {
			all = append(all, Problem{Key: at + "addrs", Value: short(ValueText(m.Addrs)), Reason: why.Error()})
		}
	}
	return all
}

// validateLinks refuses links that do not make a connected graph, and links that no peer can
// open: of two neighbours the lower index dials.
func (n *Network) validateLinks() []Problem {
	g, err := topology.NewGraph(max(1, len(n.Peers)), n.Links)
	if err != nil {
		return []Problem{{Key: "links", Value: short(ValueText(n.Links)), Reason: strings.TrimPrefix(err.Error(), "topology: ")}}
	}
	var problems []Problem
	if !g.Connected() {
		problems = append(problems, Problem{Key: "links", Value: short(ValueText(n.Links)), Reason: "want a way from every peer to every other"})
	}
	for _, l := range g.Edges() {
		if len(n.Peers[l[1]].Addrs) == 0 {
			problems = append(problems, Problem{
				Key: fmt.Sprintf("peers[%d].addrs", l[1]), Value: "[]", Reason: fmt.Sprintf("want an address, since peer %d dials it", l[0]),
			})
		}
	}
	return slices.CompactFunc(problems, func(a, b Problem) bool { return a.Key == b.Key })
}

// CheckNetwork returns what in s does not suit the network n.
func (s *Settings) CheckNetwork(n *Network) []Problem {
	var problems []Problem
	peers := len(n.Peers)
	if s.Mode == Live && s.Rounds.Every != n.Every {
		problems = append(problems, s.problem("rounds.every", "want "+DurationText(n.Every)+", which is every in the network file; leave the key out to follow that file"))
	}
	net := protocol.Net{Peers: peers, Horizon: s.Privacy.Rounds()}
	if g, err := topology.NewGraph(peers, n.Links); err == nil {
		net.LeastDegree = peers
		for i := range n.Peers {
			if !n.Peers[i].Absent() {
				net.LeastDegree = min(net.LeastDegree, g.Degree(i))
			}
		}
	}
	if n.Version > 0 {
		problems = append(problems, s.checkShared(n)...)
	}
	at, err := s.In(n)
	if err != nil {
		at = s // CheckChange refuses it
	}
	for _, p := range append(at.CheckProtocol(net, nil), s.checkLaboratory(peers, nil)...) {
		p.Reason += ", by the network file"
		problems = append(problems, p)
	}
	if why := at.unseenGifts(); why != "" {
		problems = append(problems, at.problem("give.least", why))
	}
	s.Schema().sort(problems)
	return problems
}
