package daemon

import (
	"context"
	"errors"
	"net/http"

	"peerd.dev/node/api"
)

// AskStatus asks the running peer of a folder for its status.
func AskStatus(ctx context.Context, dir string) (s api.Status, err error) {
	return s, api.Get(ctx, dir, "/v1/status", &s)
}

// AskArms asks the running peer of a folder what it knows of its actions.
func AskArms(ctx context.Context, dir string) (arms []api.Arm, err error) {
	return arms, api.Get(ctx, dir, "/v1/arms", &arms)
}

// AskPeers asks the running peer of a folder for the other peers and its links to them.
func AskPeers(ctx context.Context, dir string) (ps []api.Peer, err error) {
	return ps, api.Get(ctx, dir, "/v1/peers", &ps)
}

// AskInside asks the running peer of a folder for what only the people of the site may see; nil if it gives all decisions, and in lockstep.
func AskInside(ctx context.Context, dir string) (d *api.Inside, err error) {
	if err = api.Get(ctx, dir, "/v1/inside", &d); err != nil {
		if p := new(api.Problem); errors.As(err, &p) && (p.Status == http.StatusNotFound || p.Status == http.StatusForbidden) {
			err = nil
		}
		return nil, err
	}
	return d, nil
}

// AskReady asks the running peer of a folder whether it decides and releases, and returns what it does.
func AskReady(ctx context.Context, dir string) (string, error) {
	var now struct{ State string }
	err := api.Get(ctx, dir, "/readyz", &now)
	return now.State, err
}
