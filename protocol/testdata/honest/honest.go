// Package honest is the control of the programs in testdata/leak: it does what they
// try, in the one way that there is, and must compile.
package honest

import (
	"peerd.dev/dp"
	"peerd.dev/dp/averages"
	"peerd.dev/protocol"
)

func honest(d *dp.Curator, s dp.StreamID, reward float64, m *averages.Mixed, p protocol.Protocol, out *protocol.Outbox) error {
	if err := d.Add(s, []float64{reward}); err != nil {
		return err
	}
	leaf, err := d.Leaf(s, 1)
	if err != nil {
		return err
	}
	if _, err := m.ReplaceByMean(0, &leaf.Sum); err != nil {
		return err
	}
	p.Chosen(0)
	return p.Released([]protocol.Own{{Stream: s, Number: 1, Leaf: leaf}}, out)
}
