package epochs

import (
	"crypto/sha256"
	"encoding/binary"

	"peerd.dev/dp"
	"peerd.dev/protocol"
)

// A fingerprint identifies the contribution with a label that a peer of gis advertises; it is in
// the label, in place of a stream. So two neighbours with different contributions notice it, and
// one requests the other's. It is salted with a random number that the advertising peer draws for
// each advertisement: otherwise an origin that signs two contributions could choose them so that
// their fingerprints of 14 bits are equal. All fingerprints have the same length on the wire.
const (
	leastFingerprint dp.StreamID = 1 << 7
	endFingerprints  dp.StreamID = 1 << 14
	twoFingerprint   dp.StreamID = 1 // two contributions, which prove that their origin lies
	leastSalt        dp.StreamID = 1 << 21
	endSalts         dp.StreamID = 1 << 28
)

// salt draws the salt of an advertisement.
func (g *gis) salt() dp.StreamID {
	return leastSalt + dp.StreamID(g.c.Secret.Uint32N(uint32(endSalts-leastSalt)))
}

// fingerprint returns the fingerprint of the contribution.
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

// replace processes a different contribution of an origin and epoch. One of a later life replaces
// one of an earlier life. Two of one life are kept and advertised together, and neither counts. So
// all peers come to have the same, and an origin gains nothing by more than two.
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
