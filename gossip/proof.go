package gossip

import (
	"encoding/binary"

	"peerd.dev/protocol"
)

// signedCheckpoint is the domain of signatures of checkpoints.
const signedCheckpoint = "peerd/checkpoint/1"

// signed returns this peer's checkpoint with its signature, which covers the network's id.
func (c *Config) signed(x protocol.Checkpoint) (s protocol.SignedCheckpoint, err error) {
	s.Checkpoint = x.Normal()
	if s.Records == 0 {
		return s, nil
	}
	sig, err := c.Identity.Sign(signedCheckpoint, c.covered(s.Checkpoint))
	copy(s.Signature[:], sig)
	return s, err
}

// proves reports whether the peer in a place has signed a checkpoint with its present key, or stated it when its key was
// replaced. A checkpoint without records needs no proof, and one of more records than there can be has none.
func (c *Config) proves(of protocol.Peer, s protocol.SignedCheckpoint) bool {
	p := &c.Peers[of]
	switch {
	case s.Records == 0, s.Checkpoint == p.stated():
		return true
	case c.MostRecords > 0 && s.Records > c.MostRecords:
		return false
	}
	return Verify(p.ID, signedCheckpoint, c.covered(s.Checkpoint), s.Signature[:])
}

// Signer returns the id of the peer in a place if a checkpoint has the signature of its key, and "" otherwise.
func (c *Config) Signer(of protocol.Peer, s protocol.SignedCheckpoint) string {
	if id := c.Peers[of].ID; Verify(id, signedCheckpoint, c.covered(s.Checkpoint), s.Signature[:]) {
		return id
	}
	return ""
}

// formerly returns the number of records that the peer in a place stated when it replaced the key that has signed a checkpoint.
func (c *Config) formerly(of protocol.Peer, s protocol.SignedCheckpoint) (stated uint64, ok bool) {
	for _, x := range c.Peers[of].Closed {
		if Verify(x.ID, signedCheckpoint, c.covered(s.Checkpoint), s.Signature[:]) {
			return x.Ledger.Records, true
		}
	}
	return 0, false
}

// covered returns what the signature of a checkpoint covers.
func (c *Config) covered(x protocol.Checkpoint) []byte {
	b := binary.BigEndian.AppendUint64(append([]byte(c.Network), 0), x.Records)
	return append(b, x.Head[:]...)
}
