package daemon

import (
	"context"

	"peerd.dev/node/api"
)

// AskStatus asks the running peer of a folder for its status.
func AskStatus(ctx context.Context, dir string) (s api.Status, err error) {
	return s, api.Get(ctx, dir, "/v1/status", &s)
}
