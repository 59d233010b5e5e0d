package command

import (
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"peerd.dev/internal/config"
)

// changeable is the key whose changes a running peer applies.
const changeable = "log.level"

// reloads reads the configuration again whenever the process receives SIGHUP, until the returned
// function is called.
func reloads(o *App, running *config.Config, level *slog.LevelVar, log *slog.Logger) (stop func()) {
	hup := make(chan os.Signal, 1)
	signal.Notify(hup, syscall.SIGHUP)
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-hup:
				reload(o, running, level, log)
			case <-done:
				return
			}
		}
	}()
	return func() {
		signal.Stop(hup)
		close(done)
	}
}

// reload applies what can change and names what cannot. An invalid configuration changes nothing.
func reload(o *App, running *config.Config, level *slog.LevelVar, log *slog.Logger) {
	c, err := o.Load()
	if err != nil {
		log.Error("the configuration is not taken over", "err", err)
		return
	}
	if err := level.UnmarshalText([]byte(c.Log.Level)); err != nil {
		log.Error("the configuration is not taken over", "err", err)
		return
	}
	log.Info("the configuration is read again", changeable, c.Log.Level)
	keys := slices.DeleteFunc(running.Differences(c), func(key string) bool { return key == changeable })
	if len(keys) > 0 {
		log.Warn("keys that have changed need a restart", "keys", keys)
	}
}
