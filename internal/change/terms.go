package change

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"peerd.dev/internal/config"
	"peerd.dev/internal/terminal"
	"peerd.dev/node/network"
)

// Terms are what a site joins: the network, and what all of its peers share.
type Terms struct {
	Network  string            `json:"network"`
	Version  uint64            `json:"version"`
	Name     string            `json:"name"`    // of the new peer
	Peers    []string          `json:"peers"`   // that are present
	Signers  []string          `json:"signers"` // of versions
	Needed   int               `json:"needed"`  // signers that have to sign a version
	Links    []string          `json:"links"`   // of the new peer; nil while the invitation is not signed
	Actions  []string          `json:"actions"`
	Settings map[string]string `json:"settings"`
	Own      []string          `json:"own,omitempty"` // settings of the new peer's site alone that a new folder chooses, with the reasons
	Addrs    []string          `json:"addrs"`         // at which others may dial the new peer; who agrees may change them
	Here     string            `json:"here"`          // what such an address could be: this machine's own, and the port
	near     bool              // the network was reached in a private one
}

// Reached says who dials the new peer.
func (t *Terms) Reached() string {
	if len(t.Addrs) == 0 {
		return "nobody dials this peer: it dials those that can be dialled, and its firewall has to let nothing in; `peerd network move --addr ADDRESS` lets others dial it"
	}
	text := "others dial this peer at " + strings.Join(t.Addrs, ", ")
	if has(t.Addrs, private) && !t.near {
		text += "; NOTE: a private address among them is one that nobody outside of that private network can dial"
	}
	return text
}

// newTerms returns the terms for the peer with a name.
func newTerms(d *network.Document, name string) *Terms {
	t := &Terms{Network: d.Name, Version: d.Version, Name: name, Needed: d.Quorum(), Settings: make(map[string]string)}
	for _, p := range d.Peers {
		if p.Standing == network.Present {
			t.Peers = append(t.Peers, p.Name)
		}
	}
	for _, x := range d.Signers {
		t.Signers = append(t.Signers, x.Name)
	}
	place, _ := d.Place(name)
	for _, l := range edges(d) {
		if l[0] == place || l[1] == place {
			t.Links = append(t.Links, d.Peers[l[0]+l[1]-place].Name)
		}
	}
	for _, x := range slices.Concat(d.Settings, d.Changed) {
		t.Settings[x.Key] = x.Value
	}
	t.Actions = append(strings.Split(strings.Trim(t.Settings["arms"], "[]"), ", "), d.Added...)
	t.Actions = slices.DeleteFunc(t.Actions, func(a string) bool { return slices.Contains(d.Retired, a) })
	return t
}

// edges returns the edges that a network has once all that are invited have joined.
func edges(d *network.Document) [][2]int {
	all := *d
	all.Peers = slices.Clone(d.Peers)
	for i := range all.Peers {
		if p := &all.Peers[i]; p.Standing == network.Invited {
			p.Standing, p.Addrs = network.Present, []string{"not known yet"}
		}
	}
	return all.Edges()
}

// Write writes the terms for people.
func (t *Terms) Write(w io.Writer) {
	set := func(key string) string { return terminal.Plain(t.Settings[key]) }
	links := "not known yet"
	if len(t.Links) > 0 {
		links = strings.Join(t.Links, ", ")
	}
	_, _ = fmt.Fprintf(w, `network %s, version %d
  peers    %s
  signers  %s; a version needs %d of %d
  you      %s, linked with %s
  actions  %s
  privacy  %s
  learns   protocol %s, learner %s, rounds of %s
`, t.Network, t.Version, strings.Join(t.Peers, ", "), strings.Join(t.Signers, ", "), t.Needed, len(t.Signers), t.Name, links, terminal.Plain(strings.Join(t.Actions, ", ")),
		config.PromiseText("your site", set),
		set("protocol.name"), set("learner.name"), set("rounds.every"))
	if least := set("give.least"); least != "" && least != "0" {
		_, _ = fmt.Fprintf(w, "  asks     that each site releases %s rewards or more; all sites see how many each has released\n", least)
	}
	for _, x := range t.Own {
		_, _ = fmt.Fprintf(w, "  of your site alone, to change with --set: %s\n", terminal.Plain(x))
	}
	for _, key := range []string{"features.context", "features.action"} {
		if names, ok := t.Settings[key]; ok {
			_, _ = fmt.Fprintf(w, "  %s of each decision, which stays at your site: %s\n", key, terminal.Plain(names))
		}
	}
}
