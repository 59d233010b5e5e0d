package daemon

import (
	"errors"
	"log/slog"

	"peerd.dev/internal/config"
	"peerd.dev/node/site"
	"peerd.dev/node/store"
)

// Recover continues with the folder of a stopped peer whose neighbours remember more than the
// folder has, or whose store lacks acknowledged writes. It does not wait for neighbours named in
// without, by name or id. With newStore it sets an unreadable store aside and continues with an
// empty one.
func Recover(s *config.Settings, without []string, newStore bool, log *slog.Logger) (done site.Recovered, err error) {
	if s.Mode == config.Lockstep {
		return done, config.Failf(config.ErrUsage, "a peer in lockstep keeps nothing that could be recovered")
	}
	if err = OwnDir(s.Dir); err != nil {
		return done, err
	}
	unlock, err := LockDir(s.Dir)
	if err != nil {
		return done, err
	}
	defer unlock()
	defer func() { err = withOwner(s.Dir, err) }()
	deployment, err := NewDeployment(s)
	if err != nil {
		return done, err
	}
	accept := store.Options{Accept: true}
	st, err := deployment.site(log, accept, nil, nil)
	switch {
	case err == nil && newStore:
		return done, errors.Join(config.Failf(config.ErrUsage, "the store of %s can be read: run `peerd recover` without --new-store", s.Dir), st.Close())
	case newStore && damaged(err):
		var aside string
		if aside, err = setStoreAside(s.Dir); err != nil {
			return done, err
		}
		log.Warn("the damaged store was set aside; it is as private as the folder", "as", aside)
		accept.Replace = true
		st, err = deployment.site(log, accept, nil, nil)
	}
	if err != nil {
		return done, withWayOut(s.Dir, err)
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	ids := make([]string, len(without))
	for i, name := range without {
		ids[i] = name
		for _, p := range deployment.Network.Peers {
			if p.Name == name {
				ids[i] = p.FirstID()
			}
		}
	}
	done, err = st.Recover(ids)
	if errors.Is(err, site.ErrNeighbour) {
		return done, config.Failf(config.ErrUsage, "--without-neighbours: %w", err)
	}
	if errors.Is(err, site.ErrFork) || errors.Is(err, site.ErrNothing) {
		return done, config.Failf(config.ErrPrivacy, "%w", err)
	}
	return done, err
}
