package daemon

import (
	"context"
	"errors"
	"io"
	"path/filepath"

	"peerd.dev/internal/config"
	"peerd.dev/internal/terminal"
	"peerd.dev/node/decision"
)

// Archive writes the folder of a peer, with the store and the watermark that are in another folder, to a compressed archive. It is nil
// unless an extra sets it.
var Archive func(to io.Writer, s *config.Settings, storeIn string) error //nolint:gochecknoglobals // an extra sets it in its init

// Backup implements [Player]. The copy of the store is in the folder meanwhile, so that tables are linked and not copied.
func (p *live) Backup(_ context.Context, to io.Writer) (err error) {
	if Archive == nil {
		return &decision.Refusal{Code: decision.Unknown, Reason: "this program has no backup"}
	}
	if !p.backup.TryLock() {
		return &decision.Refusal{Code: decision.Unavailable, Reason: "another backup is being written: wait until it is done"}
	}
	defer p.backup.Unlock()
	room, remove, err := terminal.Scratch(p.deployment.s.Dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	if err = p.site.CopyStore(filepath.Join(room, StoreDir)); err != nil {
		return err
	}
	return Archive(to, p.deployment.s, room)
}
