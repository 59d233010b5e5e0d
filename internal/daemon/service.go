package daemon

import (
	"context"
	"log/slog"
	"time"

	systemd "github.com/coreos/go-systemd/v22/daemon"
)

// beat is the interval of reports to a service manager without a watchdog.
const beat = time.Second

// A service reports the peer to the service manager that started it, by the protocol of
// sd_notify(3): that it is ready, when /readyz first says so; why it is not; that it still works;
// and that it ends. Without a service manager it does nothing.
type service struct {
	ready  func(context.Context) error
	notify func(state string) error
	beat   time.Duration
	log    *slog.Logger
}

// newService returns a service whose beat is half of the watchdog's limit.
func newService(ready func(context.Context) error, log *slog.Logger) (*service, error) {
	limit, err := systemd.SdWatchdogEnabled(false)
	if err != nil {
		return nil, err
	}
	s := &service{ready, notifyManager, beat, log}
	if limit > 0 {
		s.beat = min(beat, limit/2)
	}
	return s, nil
}

// notifyManager sends a state to the service manager, if there is one.
func notifyManager(state string) error {
	_, err := systemd.SdNotify(false, state)
	return err
}

// run reports until ctx is done. A peer that hangs holds a lock for which ready waits, so the
// reports stop and the watchdog notices.
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

// send reports a state to the service manager. It only logs a failure, since the peer works
// without the manager.
func (s *service) send(state string) {
	if err := s.notify(state); err != nil {
		s.log.Warn("the service manager does not listen", "err", err)
	}
}
