// A saved state of one's own for a protocol of peerd, which sends what it loads.
package foreign

import (
	"peerd.dev/protocol"
	"peerd.dev/protocol/running"
)

func load(c protocol.Config, b []byte) error {
	p, err := protocol.New(running.Params{}, c)
	if err != nil {
		return err
	}
	return p.Load(protocol.SavedInside(b))
}

// as vouch.Value[[]byte] value in argument to protocol.SavedInside
