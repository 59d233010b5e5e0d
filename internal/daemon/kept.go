package daemon

import (
	"errors"
	"log/slog"

	"peerd.dev/internal/config"
	"peerd.dev/node/site"
)

// Open is [New] for a configuration. A folder keeps the settings that it was begun with: where nothing sets one of
// them, and another value is the default by now, the peer goes on with the folder's.
func Open(c *config.Config, o Options, log *slog.Logger) (*Daemon, error) {
	for {
		d, err := New(&c.Settings, o, log)
		var changed *site.ChangedError
		if !errors.As(err, &changed) || changed.Was == "" || c.From[changed.Key] != config.FromDefault {
			return d, err
		}
		kept, refused := c.Reload([]string{changed.Key + "=" + changed.Was}) // which is not a default then
		if refused != nil {
			return nil, err
		}
		log.Warn("a default is another by now; this folder goes on with the setting that it was begun with: write it into peerd.yaml", "setting", changed.Key, "value", changed.Was)
		c = kept
	}
}
