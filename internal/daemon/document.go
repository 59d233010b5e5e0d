package daemon

import (
	"fmt"
	"strings"

	"peerd.dev/node/network"
	"peerd.dev/protocol"
)

// documentNotice returns in a sentence that the network's document is split, that it cannot change while signers are not heard, or
// that a change waits for this peer's signature, empty if none of them is so; and the names of the peers that it has to hear before it signs.
func (p *live) documentNotice() (notice string, awaits []string) {
	deployment, host := p.now()
	if p.record == nil || host == nil {
		return "", nil
	}
	p.heard.note(host.Status())
	current := p.site.Current()
	_ = p.record.With(func(b *network.Book) error { // others report an error
		notice, awaits = p.heard.document(b, deployment.Self, current), b.Awaits()
		return nil
	})
	return notice, awaits
}

// document returns what [live.documentNotice] does. A peer whose folder is confirmed as current waits for others, if at all, for some
// seconds, which is not worth a notice.
func (h *heard) document(b *network.Book, self protocol.Peer, current bool) string {
	d, now := b.Newest(), h.now()
	var away []string
	signers := d.SignerPlaces()
	for _, place := range signers {
		if _, when, silent := h.silent(protocol.Peer(place), now); silent && place != int(self) {
			away = append(away, d.Peers[place].Name+", "+when)
		}
	}
	state := b.State()
	_, _, room := b.Head()
	switch fork := state.Fork; {
	case fork != nil:
		return "the network is split: " + fork.Error()
	case len(state.Twins) > 0:
		return state.Twins[0].String()
	case room > network.Room*3/4:
		return fmt.Sprintf("the network document is %d %% full: %d of %d bytes. When it is full, nothing can change any more", 100*room/network.Room, room, network.Room)
	case len(signers)-len(away) < d.Quorum():
		return fmt.Sprintf("the network cannot change: %d of %d signers have to sign, and some are not heard (%s). If they are lost, it never can: docs/network.md#signers says what to do",
			d.Quorum(), len(signers), strings.Join(away, "; "))
	case !current && len(state.Proposals) > 0 && len(b.Awaits()) > 0:
		return fmt.Sprintf("a change of the network waits: this peer signs once it has heard %s, since its folder may be older than what it has signed", strings.Join(b.Awaits(), ", "))
	}
	return ""
}
