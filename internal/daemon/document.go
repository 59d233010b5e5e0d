package daemon

import (
	"fmt"
	"strings"

	"peerd.dev/node/network"
	"peerd.dev/protocol"
)

// documentNotice returns in a sentence that the network's document is split, that it cannot change while signers are not heard, or
// that a change waits for this peer's signature; empty if none of them is so.
func (p *Daemon) documentNotice() (notice string) {
	deployment, host := p.now()
	if p.record == nil || host == nil {
		return ""
	}
	p.heard.note(host.Status())
	now := p.heard.now()
	_ = p.record.With(func(b *network.Book) error { // others report an error
		fork, d := b.Record().Fork, b.Newest()
		var away []string
		for _, place := range d.Signers() {
			if _, when, silent := p.heard.silent(protocol.Peer(place), now); silent && place != int(deployment.Self) {
				away = append(away, d.Peers[place].Name+", "+when)
			}
		}
		proposed, waits := b.Proposed(), b.Awaits()
		switch {
		case fork != nil:
			notice = "the network is split: " + fork.Error()
		case len(d.Signers())-len(away) < d.Quorum():
			notice = fmt.Sprintf("the network cannot change: %d of %d signers have to sign, and these are not heard: %s. If they are lost, see docs/network.md#signers", d.Quorum(), len(d.Signers()), strings.Join(away, "; "))
		case b.Signs() && len(waits) > 0 && len(proposed) > 0:
			names := strings.Join(waits, ",")
			notice = fmt.Sprintf("a change of the network waits: this peer signs it once it has heard %s, since its folder may be older than what it has signed. If they are lost, or the folder was not restored: `peerd network sign %s --without %s`",
				strings.Join(waits, ", "), proposed[0].Hash, names)
		}
		return nil
	})
	return notice
}
