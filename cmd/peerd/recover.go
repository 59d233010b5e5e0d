package main

import (
	"errors"
	"log/slog"

	"peerd.dev/node/site"
)

// recoverPeer goes on with the folder of a stopped peer where its neighbours remember
// more than the folder does.
func recoverPeer(s *Settings, log *slog.Logger) (done site.Adopted, err error) {
	if s.Mode == Lockstep {
		return done, failf(ErrUsage, "a peer in lockstep keeps nothing that could be recovered")
	}
	unlock, err := lockDir(s.Dir)
	if err != nil {
		return done, err
	}
	defer unlock()
	seat, err := newSeat(s)
	if err != nil {
		return done, err
	}
	st, err := seat.site(log, nil, nil)
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	done, err = st.Adopt()
	if errors.Is(err, site.ErrFork) || errors.Is(err, site.ErrNothing) {
		return done, failf(ErrPrivacy, "%w", err)
	}
	return done, err
}
