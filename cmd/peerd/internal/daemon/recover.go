package daemon

import (
	"errors"
	"log/slog"

	"peerd.dev/cmd/peerd/internal/config"
	"peerd.dev/node/site"
)

// Recover goes on with the folder of a stopped peer where its neighbours remember
// more than the folder does. It does without the memory of neighbours that are named, by name or
// id.
func Recover(s *config.Settings, without []string, log *slog.Logger) (done site.Recovered, err error) {
	if s.Mode == config.Lockstep {
		return done, config.Failf(config.ErrUsage, "a peer in lockstep keeps nothing that could be recovered")
	}
	unlock, err := LockDir(s.Dir)
	if err != nil {
		return done, err
	}
	defer unlock()
	deployment, err := NewDeployment(s)
	if err != nil {
		return done, err
	}
	st, err := deployment.site(log, nil, nil)
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	ids := make([]string, len(without))
	for i, name := range without {
		ids[i] = name
		for _, p := range deployment.Network.Peers {
			if p.Name == name {
				ids[i] = p.ID
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
