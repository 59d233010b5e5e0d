package dp

import "errors"

// ErrHorizon is returned for a leaf beyond the horizon for which a stream was paid.
var ErrHorizon = errors.New("dp: horizon reached; the stream releases nothing more")

// ErrLeaf is returned for a leaf that is not the stream's next one.
var ErrLeaf = errors.New("dp: leaf out of order")

// A Leaf is what a stream releases when a leaf closes.
type Leaf struct {
	Node Release // the newest node of the mechanism, which was drawn
	Sum  Release // the running sum up to and including this leaf, made of nodes
}
