package daemon

import (
	"errors"
	"fmt"

	"peerd.dev/node"
	"peerd.dev/node/api"
	"peerd.dev/node/store"
)

// state returns in a sentence what a peer does now that has a number of neighbours, and links to some of them,
// and what is wrong with the network's document. With an error it is not ready.
func state(d *api.Status, ready error, neighbours, linked int) string {
	does := doing(d, ready, neighbours, linked)
	if d.DocumentNotice != "" {
		does += "; " + d.DocumentNotice
	}
	return does
}

func doing(d *api.Status, ready error, neighbours, linked int) string {
	switch {
	case errors.Is(ready, store.ErrFull):
		return "accepts nothing: " + ready.Error()
	case d.BlockedReason != "":
		return "releases nothing: " + d.BlockedReason
	case ready != nil:
		return "is not ready: " + ready.Error()
	case d.Learning == string(node.Waits), d.Learning == string(node.Ended):
		return d.Notice
	case d.AloneReason != "":
		return "learns with what it knows: " + d.AloneReason
	case neighbours == 0:
		return "learns alone: there is no other site in the network"
	case linked == 0:
		return fmt.Sprintf("learns alone: none of %d neighbours is linked; `peerd peers` says why", neighbours)
	case linked < neighbours:
		return fmt.Sprintf("learns together with %d of %d neighbours; `peerd peers` says why others are not linked", linked, neighbours)
	}
	return fmt.Sprintf("learns together with %d of %d neighbours", linked, neighbours)
}
