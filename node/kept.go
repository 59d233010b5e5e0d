package node

import (
	"peerd.dev/dp"
	"peerd.dev/dp/state"
	"peerd.dev/internal/vouch"
	"peerd.dev/protocol"
)

// keptVersion is the version of a state with the releases of a [protocol.Keeper].
const keptVersion = 1

// saveProtocol returns the state of a protocol, with the releases that it keeps.
func saveProtocol(p protocol.Protocol) ([]byte, error) {
	b, err := p.Save()
	k, keeps := p.(protocol.Keeper)
	if err != nil || !keeps {
		return b, err
	}
	kept := k.Kept()
	return state.Save(keptVersion, func(v *state.Visitor) { withKept(v, &b, &kept) }), nil
}

// loadProtocol gives a protocol what saveProtocol returned.
func loadProtocol(p protocol.Protocol, b []byte) error {
	if k, keeps := p.(protocol.Keeper); keeps {
		var kept []dp.Release
		err := state.Load(b, keptVersion, func(v *state.Visitor) { withKept(v, &b, &kept) })
		if err == nil {
			err = k.Keep(kept)
		}
		if err != nil {
			return err
		}
	}
	return p.Load(vouch.For(b))
}

func withKept(v *state.Visitor, b *[]byte, kept *[]dp.Release) {
	v.Bytes(b)
	state.List(v, kept, func(r *dp.Release) { protocol.VisitRelease(vouch.For(v), r) })
}
