package daemon

import (
	"fmt"
	"strings"

	"peerd.dev/node/network"
	"peerd.dev/protocol"
)

// documentNotice returns what the notice about the document says, and the names of the peers that this one has to hear before it signs.
func (p *live) documentNotice() (notice string, awaits []string) {
	deployment, host := p.now()
	if p.record == nil {
		return "", nil
	}
	if host != nil { // without one, all are awaited
		p.heard.note(host.Status())
	}
	fork, current := p.record.Fork(), p.site.Current()
	_ = p.record.With(func(b *network.Book) error { // others report an error
		notice, awaits = p.heard.document(b, fork, deployment.Self, current), b.Awaits()
		return nil
	})
	return notice, awaits
}

// Split begins the notice about a document with a fork.
const Split = "the network is split: "

// document returns in a sentence that the network's document is split, nearly full, cannot change while signers are not heard, or that a
// change waits for this peer's signature; empty if none of them is so. A peer whose folder is confirmed as current waits for others, if at
// all, for some seconds, which is not worth a notice.
func (h *heard) document(b *network.Book, fork *network.Fork, self protocol.Peer, current bool) string {
	d, now := b.Newest(), h.now()
	var away []string
	for _, s := range d.Signers {
		place, _ := d.Place(s.Name)
		if _, when, silent := h.silent(protocol.Peer(place), now); silent && place != int(self) { //nolint:gosec // a place
			away = append(away, s.Name+", "+when)
		}
	}
	awaits := strings.Join(b.Awaits(), ", ")
	_, room := b.Head()
	full := network.Full(room)
	switch n := len(d.Signers); {
	case fork != nil:
		return Split + fork.Error()
	case full != "":
		return full
	case n-len(away) < d.Quorum():
		return fmt.Sprintf("the network cannot change: %d of %d signers have to sign, and some are not heard (%s). If they are lost, it never can: docs/network.md#signers says what to do",
			d.Quorum(), n, strings.Join(away, "; "))
	case !current && len(b.Proposed()) > 0 && awaits != "":
		return fmt.Sprintf("a change of the network waits: this peer signs once it has heard %s, since its folder may be older than what it has signed", awaits)
	}
	return ""
}
