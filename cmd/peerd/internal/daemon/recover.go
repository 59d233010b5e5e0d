package daemon

import (
	"errors"
	"log/slog"

	"peerd.dev/cmd/peerd/internal/config"
	"peerd.dev/node/site"
)

// Recover goes on with the folder of a stopped peer where its neighbours remember
// more than the folder does.
func Recover(s *config.Settings, log *slog.Logger) (done site.Recovered, err error) {
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
	done, err = st.Recover()
	if errors.Is(err, site.ErrFork) || errors.Is(err, site.ErrNothing) {
		return done, config.Failf(config.ErrPrivacy, "%w", err)
	}
	return done, err
}
