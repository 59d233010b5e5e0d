// Package tables is the extra by which an application draws actions while its peer is down.
package tables

import (
	"context"
	"log/slog"
	"sync/atomic"

	"peerd.dev/gossip"
	"peerd.dev/internal/daemon"
	"peerd.dev/node/api"
	"peerd.dev/node/site"
	"peerd.dev/node/site/tables"
)

func init() { daemon.Additions = append(daemon.Additions, add) }

// add adds tables to a peer.
func add(func() *gossip.Host, *slog.Logger) daemon.Addition {
	var of atomic.Pointer[tables.Tables] // nil in lockstep
	return daemon.Addition{
		Tables: func(s site.Source) site.Tables {
			t := tables.New(s)
			of.Store(t)
			return t
		},
		Views: []api.View{{Path: "/v1/table", Get: func(context.Context) (any, error) {
			of := of.Load()
			if of == nil {
				return nil, daemon.ErrLockstep
			}
			t, err := of.Newest()
			t.Actions = append([]tables.Weight{}, t.Actions...)
			return t, err
		}}},
	}
}
