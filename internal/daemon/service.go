package daemon

import (
	"context"
	"log/slog"
	"time"

	systemd "github.com/coreos/go-systemd/v22/daemon"
)

// beat is how often a service manager without a watchdog hears of the peer.
const beat = time.Second

// A service reports the peer to the service manager that started it, by the protocol of
// sd_notify(3): that it is ready when /readyz first says so, why it is not, that it still
// works, and that it ends. Without a service manager it does nothing.
type service struct {
	ready func(context.Context) error
	tell  func(state string) error
	beat  time.Duration
	log   *slog.Logger
}

// newService returns a service whose beat is half of the watchdog's limit.
func newService(ready func(context.Context) error, log *slog.Logger) (*service, error) {
	limit, err := systemd.SdWatchdogEnabled(false)
	if err != nil {
		return nil, err
	}
	s := &service{ready, tellManager, beat, log}
	if limit > 0 {
		s.beat = min(beat, limit/2)
	}
	return s, nil
}

// tellManager sends a state to the service manager, if there is one.
func tellManager(state string) error {
	_, err := systemd.SdNotify(false, state)
	return err
}

// run reports until ctx is done. A peer that hangs holds a lock that ready waits for, so
// it falls silent and the watchdog finds it.
func (s *service) run(ctx context.Context) {
	tick := time.NewTicker(s.beat)
	defer tick.Stop()
	var begun bool
	var was string
	for {
		now := "learns and releases"
		err := s.ready(ctx)
		if err != nil {
			now = "nothing is released: " + err.Error()
		}
		state := systemd.SdNotifyWatchdog
		if now != was {
			state += "\nSTATUS=" + now
		}
		if err == nil && !begun {
			begun = true
			state += "\n" + systemd.SdNotifyReady
		}
		was = now
		s.send(state)
		select {
		case <-tick.C:
		case <-ctx.Done():
			s.send(systemd.SdNotifyStopping)
			return
		}
	}
}

// send tells the service manager a state. One that cannot be told is logged: the peer works
// without it.
func (s *service) send(state string) {
	if err := s.tell(state); err != nil {
		s.log.Warn("the service manager does not listen", "err", err)
	}
}
