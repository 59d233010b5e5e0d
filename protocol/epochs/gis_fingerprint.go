package epochs

import (
	"crypto/sha256"
	"encoding/binary"

	"peerd.dev/dp"
	"peerd.dev/protocol"
)

// A fingerprint stands with every label that a peer of gis advertises, in place of a stream, and
// says what it holds under the label. So two neighbours that hold different contributions under one
// notice, and one of them requests that of the other. It is salted by random numbers of the peer
// that advertises, drawn when it does: an origin that signs two contributions cannot choose them
// so that their fingerprints are equal, which 14 bits would allow it otherwise. All are as long on the wire.
const (
	leastFingerprint dp.StreamID = 1 << 7
	endFingerprints  dp.StreamID = 1 << 14
	twoFingerprint   dp.StreamID = 1 // two contributions, which are a proof against their origin
	leastSalt        dp.StreamID = 1 << 21
	endSalts         dp.StreamID = 1 << 28
)

// salt draws the salt of an advertisement.
func (g *gis) salt() dp.StreamID {
	return leastSalt + dp.StreamID(g.c.Secret.Uint32N(uint32(endSalts-leastSalt)))
}

// fingerprint returns that of what is held.
func (s *contribution) fingerprint(salt dp.StreamID) dp.StreamID {
	if s.second.Kind() != 0 {
		return twoFingerprint
	}
	b := binary.BigEndian.AppendUint32(nil, uint32(salt))
	h := sha256.Sum256(append(b, s.m.Signature()...))
	return leastFingerprint + dp.StreamID(binary.BigEndian.Uint64(h[:8])%uint64(endFingerprints-leastFingerprint))
}

// checkPrints refuses an advertisement without salt or fingerprints, and a request with any.
func checkPrints(m *protocol.Message) error {
	salted := m.Kind() == gisAdv && m.Refs() > 0
	if s := m.Label().Stream; salted && (s < leastSalt || s >= endSalts) || !salted && s != 0 {
		return m.Refuse("want a salt with fingerprints, and none without")
	}
	for i := range m.Refs() {
		l := m.Ref(i)
		if p := l.Stream; salted && p != twoFingerprint && (p < leastFingerprint || p >= endFingerprints) || !salted && p != 0 {
			return m.Refuse("label of epoch %d of peer %d: want a fingerprint in an advertisement, and none elsewhere", l.Seq, l.Origin)
		}
	}
	return nil
}

// replace takes in another contribution of an origin and epoch. That of a later life takes the place of
// that of an earlier one. Two of one life are kept and advertised together, and neither counts. So all
// peers come to hold the same, and an origin gains nothing by more than two.
func (g *gis) replace(s *contribution, m protocol.Message, out *protocol.Outbox) {
	if m.Label() == s.m.Label() {
		s.second = m
		out.Accuse(m.Refuse("its origin signed two contributions of that epoch; neither counts"))
	} else {
		s.m, s.second = m, protocol.NoMessage()
	}
	for j := range s.marks {
		if s.marks[j]&knows != 0 {
			g.links[j].lacks++
		}
		s.marks[j] = 0
	}
	g.advertised(s)
}
