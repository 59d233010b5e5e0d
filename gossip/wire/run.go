package wire

import (
	"crypto/rand"
	"encoding/binary"
)

// A Run identifies a process by a random number that it keeps from start to end. Two copies of a
// peer's folder that run at once have the same key, incarnation and checkpoint, but different
// runs. Zero is none.
//
// A neighbour is connected with one run of a peer at a time. It refuses a second run and says so
// in its hello, so of two copies that start together the neighbour accepts the first to connect.
// A peer releases nothing before its neighbours have reported what they remember, and they report
// it only to the run that they have accepted. So two copies that have a common neighbour do not
// both release. A process that replaces its host keeps its run, since neighbours may not have
// noticed the end of the old host.
type Run uint64

// NewRun draws a run.
func NewRun() Run {
	var b [8]byte
	_, _ = rand.Read(b[:]) // does not fail
	return Run(binary.LittleEndian.Uint64(b[:]) | 1)
}
