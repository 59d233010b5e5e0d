package site

import (
	"fmt"
	"time"

	"peerd.dev/dp/state"
	"peerd.dev/node"
	"peerd.dev/node/site/form"
	"peerd.dev/node/site/standing"
)

// Life is what differs between the lives of a peer.
type Life struct {
	Seed        node.Seed // of its coins; noise has a source of its own
	Incarnation uint32
}

// life is a Life in the form that is stored.
type life struct {
	Life
	Salt [16]byte // of the hashes of subjects
	standing.Recovery
}

func (l *life) fields(v *state.Visitor) {
	form.Array(v, l.Seed[:])
	state.Number(v, &l.Incarnation)
	form.Array(v, l.Salt[:])
	v.Uint(&l.Taken)
	v.Uint(&l.Gap)
	state.List(v, &l.Without, v.String)
	v.Bool(&l.Opened)
}

func (l *life) bytes() []byte { return state.Save(lifeVersion, l.fields) }

func parseLife(b []byte) (l life, err error) {
	err = form.Decode("life", b, lifeVersion, lifeVersion, l.fields)
	return l, err
}

// NewIncarnation returns the number of a life that begins now: seconds since 2020, enough for a
// century.
func NewIncarnation(now time.Time) (uint32, error) {
	age := now.Sub(time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC))
	if age < 0 {
		return 0, fmt.Errorf("the clock says %s: set it, or others will take this peer for an old one", now.Format(time.DateOnly))
	}
	return uint32(age / time.Second), nil
}
