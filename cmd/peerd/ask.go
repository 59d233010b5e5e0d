package main

import (
	"context"

	"peerd.dev/node/api"
)

// askStatus asks the running peer of a folder how it is.
func askStatus(ctx context.Context, dir string) (s api.Status, err error) {
	return s, api.Get(ctx, dir, "/v1/status", &s)
}

// askPeers asks the running peer of a folder for the other peers and its links to them.
func askPeers(ctx context.Context, dir string) (ps []api.Peer, err error) {
	return ps, api.Get(ctx, dir, "/v1/peers", &ps)
}
