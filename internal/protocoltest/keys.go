package protocoltest

import "peerd.dev/node/lab/forgeable"

// Keys stand in for keys. Anyone can forge them.
type Keys = forgeable.Keys
