package bundle

import (
	"bytes"
	"context"
	"errors"

	"peerd.dev/gossip"
	"peerd.dev/internal/ask"
	"peerd.dev/internal/config"
	"peerd.dev/internal/daemon"
	"peerd.dev/node/ledger/check"
	"peerd.dev/node/network"
)

// Evidence is what a peer's folder adds to a bundle.
type Evidence struct {
	Network, Site string
	Key           gossip.Identity // present key, which signs the bundle
	Parts         map[string][]byte
}

// Gather reads the evidence of a peer with a signed network document, which may run, be stopped, or have left the network. What can grow meanwhile is
// read before what has to contain it.
func Gather(ctx context.Context, s *config.Settings) (*Evidence, error) {
	if !s.Signed() {
		return nil, config.Failf(config.ErrRefused, "network: %s is not signed, so nothing proves who its peers are; `peerd network new` makes a signed document", s.NetworkPath())
	}
	t, err := daemon.LastDeployment(s)
	if err != nil {
		return nil, err
	}
	e := &Evidence{Network: t.Network.Name, Site: t.Network.Peers[t.Self].Name, Key: t.Key(), Parts: map[string][]byte{Policy: t.Agreed(), Settings: s.AsFile()}}
	if daemon.ReceiptLines != nil {
		lines, wrong := daemon.ReceiptLines(ctx, s.Dir)
		if wrong != nil {
			return nil, wrong
		}
		for _, line := range lines {
			e.Parts[Receipts] = append(append(e.Parts[Receipts], line...), '\n')
		}
	}
	if e.Parts[Ledger], err = export(ctx, s); err != nil {
		return nil, err
	}
	return e, t.Record.With(func(b *network.Book) (err error) {
		e.Parts[Network], err = NetworkLines(b)
		return err
	})
}

// export returns the signed export of the ledger.
func export(ctx context.Context, s *config.Settings) ([]byte, error) {
	id, err := s.LedgerIdentity()
	if err != nil {
		return nil, err
	}
	lines, done, err := ask.LedgerLines(ctx, s.Dir, false)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	_, err = check.Export(&b, lines, id.Sign)
	return b.Bytes(), errors.Join(err, done())
}
