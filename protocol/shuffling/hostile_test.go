package shuffling_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"peerd.dev/dp"
	"peerd.dev/internal/dptest"
	"peerd.dev/internal/protocoltest"
	"peerd.dev/internal/require"
	"peerd.dev/internal/vouch"
	"peerd.dev/protocol"
	"peerd.dev/protocol/shuffling"
)

// textOf returns a sealed text of a length that holds some bytes and zeros.
func textOf(t *testing.T, to protocol.Peer, n int, b []byte) dp.Sealed {
	t.Helper()
	text := require.Value(protocoltest.Keys(0).Seal(to, append(b, make([]byte, n-protocol.SealOverhead-len(b))...)))(t)
	return require.Value(dp.ReceivedSealed(vouch.For(text)))(t)
}

// seal seals fields for a peer, as a press does.
func seal(t *testing.T, to protocol.Peer, f dp.Fields) dp.Sealed {
	t.Helper()
	b := protocol.AppendRelease(nil, dptest.Received(t, f))
	return textOf(t, to, protocol.SealedLen(len(f.Value), len(f.Count)), append(binary.BigEndian.AppendUint16(nil, uint16(len(b))), b...))
}

// open returns what was sealed for a peer.
func open(t *testing.T, at protocol.Peer, s dp.Sealed) dp.Fields {
	t.Helper()
	b := require.Value(protocoltest.Keys(at).Open(s.Bytes()))(t)
	// A release in a frame of its own is read as one in a text.
	b = b[2:][:binary.BigEndian.Uint16(b)]
	m := require.Value(protocol.Decode(vouch.For(frameOf(b))))(t)
	return m.Release(0).Fields()
}

// frameOf returns a frame with one release: a message with a kind, and a body.
func frameOf(release []byte) []byte {
	content := []byte{1 << 3, byte(protocol.FirstFree), 2<<3 | 2, 0, 4<<3 | 2}
	content = append(binary.AppendUvarint(content, uint64(len(release))), release...)
	return append(binary.AppendUvarint([]byte{1<<3 | 2}, uint64(len(content))), content...)
}

// stateOf returns the saved state of a peer's protocol.
func stateOf(t *testing.T, p *protocoltest.Peer) []byte {
	t.Helper()
	s := require.Value(p.Protocol.Save())(t)
	return s.Encode()
}

// refused delivers a message, which must be refused and change nothing.
func refused(t *testing.T, n *protocoltest.Network, to int, from protocol.Peer, m protocol.Message, name string) {
	t.Helper()
	before := stateOf(t, n.Peers[to])
	sent, err := n.Deliver(t, to, protocol.Delivery{From: from, Message: m})
	if err == nil || len(sent) > 0 || !bytes.Equal(before, stateOf(t, n.Peers[to])) {
		t.Errorf("%s: %d messages and %v, want an error and nothing else", name, len(sent), err)
	}
}

// TestTheShufflerRefusesLies of a silo, before a batch is under way, so that one silo stops no other.
func TestTheShufflerRefusesLies(t *testing.T) {
	both(t, func(t *testing.T, sees shuffling.Sees) {
		n := protocoltest.New(t, setting(small(sees), 3, dp.Tree))
		n.Hostile = true
		pay(t, n, 6)
		honest := kind(n, "sealed")[1].Message
		share := func(f func(*dp.Fields)) func(d *protocoltest.Draft) {
			return func(d *protocoltest.Draft) {
				if sees == shuffling.Sum {
					x := open(t, 0, d.Sealed[1])
					f(&x)
					d.Sealed[1] = seal(t, 0, x)
				} else {
					d.Sealed = nil
				}
			}
		}
		for name, change := range map[string]func(d *protocoltest.Draft){
			"a shorter text":     func(d *protocoltest.Draft) { d.Sealed[0] = textOf(t, 1, len(d.Sealed[0].Bytes())-1, nil) },
			"a longer text":      func(d *protocoltest.Draft) { d.Sealed[0] = textOf(t, 1, len(d.Sealed[0].Bytes())+1, nil) },
			"no text":            func(d *protocoltest.Draft) { d.Sealed = nil },
			"one text too many":  func(d *protocoltest.Draft) { d.Sealed = append(d.Sealed, d.Sealed[0]) },
			"batch 0":            func(d *protocoltest.Draft) { d.Label.Seq = 0 },
			"another stream":     func(d *protocoltest.Draft) { d.Label.Stream = 1 },
			"of another silo":    func(d *protocoltest.Draft) { d.Label.Origin = 4 },
			"of the analyzer":    func(d *protocoltest.Draft) { d.Label.Origin = 1 },
			"of a stranger":      func(d *protocoltest.Draft) { d.Label.Origin = 99 },
			"numbers to read":    func(d *protocoltest.Draft) { d.Body = []dp.Release{dptest.Received(t, dp.Fields{Value: []int64{1}})} },
			"a reference":        func(d *protocoltest.Draft) { d.Refs = []protocol.Label{d.Label} },
			"of another batch":   share(func(f *dp.Fields) { f.Span.From = 1 }),
			"without a count":    share(func(f *dp.Fields) { f.Count = nil }),
			"another lattice":    share(func(f *dp.Fields) { f.Exponent-- }),
			"of another stream":  share(func(f *dp.Fields) { f.Stream = 1 }),
			"noise in its share": share(func(f *dp.Fields) { f.Noise = dp.Noise{Law: dp.Gaussian, Scale: 1, VarianceUnits: dp.VarianceScale} }),
			"too few numbers":    share(func(f *dp.Fields) { f.Value = f.Value[1:] }),
			"no share": func(d *protocoltest.Draft) {
				last := len(d.Sealed) - 1
				d.Sealed[last] = textOf(t, protocol.Peer(1-last), len(d.Sealed[last].Bytes()), nil)
				if last == 0 {
					d.Label.Seq = 0 // the analyzer finds it
				}
			},
		} {
			d := protocoltest.DraftOf(honest)
			d.Sealed = slices.Clone(d.Sealed)
			change(&d)
			refused(t, n, 0, 3, d.Signed(protocoltest.Keys(d.Label.Origin)), name)
		}
		refused(t, n, 0, 3, protocoltest.DraftOf(honest).Signed(protocoltest.Keys(4)), "signed by another")
		refused(t, n, 0, 99, honest, "from a stranger")
		refused(t, n, 1, 0, honest, "to the analyzer")
		n.Tick(t, 0)
	})
}

// ahead delivers a report of a silo to the shuffler as one of another batch.
func ahead(t *testing.T, n *protocoltest.Network, u protocoltest.Parcel, batch uint64) {
	t.Helper()
	d := protocoltest.DraftOf(u.Message)
	d.Label.Seq, d.Sealed = batch, slices.Clone(d.Sealed)
	if len(d.Sealed) > 1 {
		share := open(t, 0, d.Sealed[1])
		share.Span = dp.Span{From: batch & (batch - 1), To: batch}
		d.Sealed[1] = seal(t, 0, share)
	}
	require.Value(n.Deliver(t, 0, protocol.Delivery{From: u.From, Message: d.Signed(protocoltest.Keys(u.From))}))(t)
}

// TestReportsOfOneSiloAreFew: a silo that reports each batch in two ways, or batches to come, fills no memory and is counted once.
func TestReportsOfOneSiloAreFew(t *testing.T) {
	both(t, func(t *testing.T, sees shuffling.Sees) {
		p := small(sees)
		p.Every = 12
		n := protocoltest.New(t, setting(p, 3, dp.None))
		n.Hostile = true
		h := protocoltest.Faults{Rand: rand.New(rand.NewPCG(1, 1)), Cut: func(from, _ protocol.Peer) bool { return from == 2 && n.Round < 12*20 }}
		most, texts := 0, 0
		for range 12 * 40 {
			pay(t, n, 1)
			for _, u := range kind(n, "sealed") {
				for _, batch := range []uint64{1 << 40, u.Message.Label().Seq + 40} {
					ahead(t, n, u, batch)
				}
				again := protocoltest.DraftOf(u.Message)
				again.Sealed = slices.Clone(again.Sealed)
				again.Sealed[0] = textOf(t, 1, len(again.Sealed[0].Bytes()), []byte{9})
				u.Message = again.Signed(protocoltest.Keys(u.From))
				n.Underway = append(n.Underway, u)
				texts = len(again.Sealed)
			}
			for _, u := range kind(n, "mixed") {
				if u.Message.Label().Seq > 40 {
					t.Fatalf("batch %d is forwarded in round %d", u.Message.Label().Seq, n.Round)
				}
			}
			h.Befall(n)
			most = max(most, len(stateOf(t, n.Peers[0])))
		}
		if limit := 3*8*(texts*protocol.SealedLen(4, 1)+160) + 2000; most > limit {
			t.Errorf("the shuffler holds %d bytes, want at most %d", most, limit)
		}
		if x := n.Peers[3].Belief().X[2]; x < 3*12*38 {
			t.Errorf("a silo believes %v of %d records", x, 3*12*40)
		}
		if len(n.Faults[1]) > 0 {
			t.Errorf("the analyzer was sent %v", n.Faults[1])
		}
	})
}

// TestAnEarlyReportHurriesNoOne: the shuffler waits for a batch from its end on, also if a silo has reported it before.
func TestAnEarlyReportHurriesNoOne(t *testing.T) {
	both(t, func(t *testing.T, sees shuffling.Sees) {
		p := small(sees)
		p.Every, p.Deadline = 12, 3
		n := protocoltest.New(t, setting(p, 3, dp.None))
		n.Hostile = true
		for range 12 * 8 {
			pay(t, n, 1)
			for _, u := range kind(n, "sealed") {
				if u.From != 4 {
					continue
				}
				if k := u.Message.Label().Seq; k%2 == 0 {
					ahead(t, n, u, k+1)
				} else {
					ahead(t, n, u, 1<<63)
				}
			}
			for _, u := range kind(n, "mixed") {
				if got := u.Message.Ref(0).Seq; got < 3 {
					t.Fatalf("batch %d: %d texts, want those of 3 silos", u.Message.Label().Seq, got)
				}
			}
		}
	})
}

// TestTheAnalyzerFindsLies that the shuffler cannot read. A report that is none does not count, and makes a sum of shares nothing; the
// next sum over that batch is whole.
func TestTheAnalyzerFindsLies(t *testing.T) {
	both(t, func(t *testing.T, sees shuffling.Sees) {
		for name, change := range map[string]func(f *dp.Fields){
			"another batch":       func(f *dp.Fields) { f.Span = dp.Span{From: 1, To: 2} },
			"another stream":      func(f *dp.Fields) { f.Stream = 1 },
			"another lattice":     func(f *dp.Fields) { f.Exponent-- },
			"noise":               func(f *dp.Fields) { f.Noise = dp.Noise{Scale: 1 << 20, VarianceUnits: dp.VarianceScale} },
			"records without end": func(f *dp.Fields) { f.Count[0] = 1 << 62 },
			"no numbers":          func(f *dp.Fields) { f.Value = nil },
			"what cannot be":      func(f *dp.Fields) { f.Value[2] += 100 << 20 },
		} {
			n := protocoltest.New(t, setting(small(sees), 3, dp.None))
			n.Hostile = true
			pay(t, n, 3)
			for i, u := range n.Underway {
				if u.From != 4 {
					continue
				}
				d := protocoltest.DraftOf(u.Message)
				d.Sealed = slices.Clone(d.Sealed)
				f := open(t, 1, d.Sealed[0])
				if change(&f); f.Value == nil {
					d.Sealed[0] = textOf(t, 1, len(d.Sealed[0].Bytes()), nil)
				} else {
					d.Sealed[0] = seal(t, 1, f)
				}
				n.Underway[i].Message = d.Signed(protocoltest.Keys(4))
			}
			pay(t, n, 3)
			want := 6. // of two silos, or the own ones alone after another round
			if sees == shuffling.Sum {
				want = 3
			}
			if x := n.Peers[2].Belief().X[2]; len(n.Faults[1]) == 0 || x != want && x != 6 {
				t.Errorf("%s: a silo believes %v, want %v; the analyzer says %v", name, x, want, n.Faults[1])
			}
			if total := n.Peers[3].Belief(); sees == shuffling.Reports && 1/total.SampleVar[0] != 6 {
				t.Errorf("%s: %v records, want 6", name, 1/total.SampleVar[0])
			}
			pay(t, n, 4)
			if x := n.Peers[2].Belief().X[2]; x != 18 {
				t.Errorf("%s: a silo believes %v after the next batch, want 18", name, x)
			}
		}
	})
}

// TestLessNoiseThanChargedIsFound, and more: what is said to be in a report, and not what is.
func TestLessNoiseThanChargedIsFound(t *testing.T) {
	both(t, func(t *testing.T, sees shuffling.Sees) {
		for name, change := range map[string]func(n *dp.Noise){
			"no noise": func(n *dp.Noise) { *n = dp.Noise{} },
			"less":     func(n *dp.Noise) { n.Scale-- },
			"more":     func(n *dp.Noise) { n.VarianceUnits++ },
		} {
			n := protocoltest.New(t, setting(small(sees), 3, dp.Tree))
			n.Hostile = true
			pay(t, n, 3)
			for i, u := range n.Underway {
				d := protocoltest.DraftOf(u.Message)
				d.Sealed = slices.Clone(d.Sealed)
				f := open(t, 1, d.Sealed[0])
				if change(&f.Noise); u.From == 4 {
					d.Sealed[0] = seal(t, 1, f)
				}
				n.Underway[i].Message = d.Signed(protocoltest.Keys(u.From))
			}
			if pay(t, n, 3); len(n.Faults[1]) == 0 {
				t.Errorf("%s: not found", name)
			}
		}
	})
}

// mixed returns the first batch that is forwarded, without delivering it.
func mixed(t *testing.T, n *protocoltest.Network) protocoltest.Draft {
	t.Helper()
	for range 20 {
		pay(t, n, 1)
		if all := kind(n, "mixed"); len(all) > 0 {
			n.Underway = slices.DeleteFunc(n.Underway, func(u protocoltest.Parcel) bool { return u.To == 1 })
			return protocoltest.DraftOf(all[0].Message)
		}
	}
	t.Fatal("no batch was forwarded")
	return protocoltest.Draft{}
}

// TestTheAnalyzerRefusesLies of a shuffler, and of a silo that passes for one.
func TestTheAnalyzerRefusesLies(t *testing.T) {
	both(t, func(t *testing.T, sees shuffling.Sees) {
		s := setting(small(sees), 3, dp.Tree)
		s.Graph = protocoltest.Complete(5)
		n := protocoltest.New(t, s)
		n.Hostile = true
		honest := mixed(t, n)
		for name, change := range map[string]func(d *protocoltest.Draft){
			"batch 0":         func(d *protocoltest.Draft) { d.Label.Seq = 0 },
			"part 64":         func(d *protocoltest.Draft) { d.Label.Stream = 64 },
			"of no length":    func(d *protocoltest.Draft) { d.Refs = nil },
			"of two lengths":  func(d *protocoltest.Draft) { d.Refs = append(d.Refs, d.Refs[0]) },
			"of a silo":       func(d *protocoltest.Draft) { d.Label.Origin = 3 },
			"numbers to read": func(d *protocoltest.Draft) { d.Body = []dp.Release{dptest.Received(t, dp.Fields{Value: []int64{1}})} },
			"nothing":         func(d *protocoltest.Draft) { d.Sealed = nil },
			"more than silos": func(d *protocoltest.Draft) { d.Refs = []protocol.Label{{Seq: 6}} },
		} {
			d := honest
			change(&d)
			refused(t, n, 1, 0, d.Signed(protocoltest.Keys(d.Label.Origin)), name)
		}
		refused(t, n, 1, 0, honest.Signed(protocoltest.Keys(3)), "signed by a silo")
		refused(t, n, 1, 3, honest.Signed(protocoltest.Keys(0)), "from a silo")
		d := honest
		d.Label.Origin = 3
		refused(t, n, 1, 3, d.Signed(protocoltest.Keys(3)), "of a silo, from it")
		refused(t, n, 3, 0, honest.Signed(protocoltest.Keys(0)), "to a silo")
		if sees == shuffling.Sum { // the shuffler's share of a batch of no silos
			d = honest
			d.Sealed, d.Refs = d.Sealed[:1], []protocol.Label{{Seq: 1}}
			if _, err := n.Deliver(t, 1, protocol.Delivery{Message: d.Signed(protocoltest.Keys(0))}); err != nil {
				t.Error(err)
			}
		}
	})
}

// TestPartsOfABatch: the analyzer waits for all parts of one forwarding, counts each once, and goes back to no older batch.
func TestPartsOfABatch(t *testing.T) {
	both(t, func(t *testing.T, sees shuffling.Sees) {
		n := protocoltest.New(t, setting(small(sees), 3, dp.None))
		n.Hostile = true
		whole := mixed(t, n)
		part := func(incarnation uint32, i, from, to int) protocol.Message {
			d := whole
			d.Label.Incarnation, d.Label.Stream, d.Sealed = incarnation, dp.StreamID(i), d.Sealed[from:to]
			return d.Signed(protocoltest.Keys(0))
		}
		all := len(whole.Sealed)
		for i, x := range []struct {
			m    protocol.Message
			sent int // sums
		}{
			{part(0, 0, 0, 2), 0},
			{part(0, 0, 0, 2), 0},   // the same again
			{part(1, 1, 2, all), 0}, // of a shuffler that has lost its folder
			{part(0, 1, 2, all), 0},
			{part(1, 0, 0, 2), 1},
			{part(1, 0, 0, 2), 1}, // an answer again
			{part(2, 0, 0, 1), 1},
		} {
			sent, err := n.Deliver(t, 1, protocol.Delivery{Message: x.m})
			if err != nil || len(sent) != x.sent {
				t.Fatalf("part %d: %d messages, %v, want %d", i, len(sent), err, x.sent)
			}
			if x.sent > 0 && sent[0].Message.Release(0).Count(0) != 9 {
				t.Fatalf("part %d: a sum of %d records, want 9", i, sent[0].Message.Release(0).Count(0))
			}
		}
		n.Underway = slices.DeleteFunc(n.Underway, func(u protocoltest.Parcel) bool { return u.From == 1 })
		pay(t, n, 12)
		before := n.Peers[2].Belief().X[2]
		sent, err := n.Deliver(t, 1, protocol.Delivery{Message: part(3, 0, 0, all)})
		if err != nil || len(sent) != 1 || sent[0].Message.Label().Seq < 3 || sent[0].Message.Release(0).At(2) < before {
			t.Errorf("an old batch is answered by %d messages, %v, want the newest sum", len(sent), err)
		}
	})
}

// TestAnOutageLosesNothing, though the shuffler keeps few reports: the oldest, and the silos send the others again in their turn.
func TestAnOutageLosesNothing(t *testing.T) {
	both(t, func(t *testing.T, sees shuffling.Sees) {
		p := small(sees)
		p.Every = 40
		s := setting(p, 3, dp.None)
		s.Rounds = 40 * 40
		n := protocoltest.New(t, s)
		h := protocoltest.Faults{Rand: rand.New(rand.NewPCG(1, 1)), Cut: func(from, to protocol.Peer) bool {
			return (from == 1 || to == 1) && n.Round > 14*40+20 && n.Round < 26*40
		}}
		for range 31*40 + 20 {
			pay(t, n, 1)
			h.Befall(n)
		}
		if x := n.Peers[2].Belief().X[2]; x != 3*31*40 {
			t.Errorf("a silo believes %v, want %v", x, 3*31*40)
		}
	})
}

// TestABatchIsForwardedAlike each time, and alone until it is answered.
func TestABatchIsForwardedAlike(t *testing.T) {
	both(t, func(t *testing.T, sees shuffling.Sees) {
		n := protocoltest.New(t, setting(small(sees), 6, dp.None))
		h := protocoltest.Faults{Rand: rand.New(rand.NewPCG(1, 1)), Cut: func(_, to protocol.Peer) bool { return to == 1 }}
		var first []dp.Sealed
		times := 0
		for round := range 60 {
			pay(t, n, 1)
			for _, u := range kind(n, "mixed") {
				if times++; times == 1 {
					first = u.Message.Sealed()
				}
				if !slices.Equal(first, u.Message.Sealed()) {
					t.Fatal("other texts, or in another order")
				}
			}
			if h.Befall(n); round%20 == 19 {
				n.Restart(t, 0, 0)
			}
		}
		if times < 5 {
			t.Errorf("forwarded %d times", times)
		}
	})
}

// TestASiloWithAnotherTree has lost its folder and given leaves up: it reports no sum that the analyzer would refuse, and learns.
func TestASiloWithAnotherTree(t *testing.T) {
	both(t, func(t *testing.T, sees shuffling.Sees) {
		p := small(sees)
		p.Every, p.Deadline = 12, 3
		n := protocoltest.New(t, setting(p, 3, dp.None))
		pay(t, n, 50)
		state, _, err := n.Peer(t, 4, 1).AbandonLeaves(7)
		if err != nil {
			t.Fatal(err)
		}
		n.Peers[4] = n.Peer(t, 4, 1)
		require.NoError(t, n.Peers[4].Load(state))
		pay(t, n, 12*20)
		if x := n.Peers[4].Belief().X[2]; x < 2*12*23 {
			t.Errorf("it believes %v, want %v or more", x, 2*12*23)
		}
	})
}

// TestASiloTakesTheAnalyzersSumsAlone, and no older one, no other peer's, and nothing that is no sum.
func TestASiloTakesTheAnalyzersSumsAlone(t *testing.T) {
	both(t, func(t *testing.T, sees shuffling.Sees) {
		n := protocoltest.New(t, setting(small(sees), 3, dp.None))
		n.Hostile = true
		var sums []protocoltest.Draft
		for range 30 {
			pay(t, n, 1)
			for _, u := range kind(n, "total") {
				if u.To == 2 {
					sums = append(sums, protocoltest.DraftOf(u.Message))
				}
			}
		}
		last := sums[len(sums)-1]
		last.Label.Seq += 100
		for name, change := range map[string]func(d *protocoltest.Draft){
			"of the shuffler":  func(d *protocoltest.Draft) { d.Label.Origin = 0 },
			"another stream":   func(d *protocoltest.Draft) { d.Label.Stream = 1 },
			"two sums":         func(d *protocoltest.Draft) { d.Body = append(slices.Clone(d.Body), d.Body[0]) },
			"a reference":      func(d *protocoltest.Draft) { d.Refs = []protocol.Label{d.Label} },
			"a text":           func(d *protocoltest.Draft) { d.Sealed = []dp.Sealed{textOf(t, 2, 60, nil)} },
			"of a batch ahead": func(d *protocoltest.Draft) { d.Label.Seq = 1 },
			"too few numbers": func(d *protocoltest.Draft) {
				f := d.Body[0].Fields()
				f.Value = f.Value[1:]
				d.Body = []dp.Release{dptest.Received(t, f)}
			},
			"no count": func(d *protocoltest.Draft) {
				f := d.Body[0].Fields()
				f.Count = nil
				d.Body = []dp.Release{dptest.Received(t, f)}
			},
			"another lattice": func(d *protocoltest.Draft) {
				f := d.Body[0].Fields()
				f.Exponent--
				d.Body = []dp.Release{dptest.Received(t, f)}
			},
		} {
			d := last
			change(&d)
			refused(t, n, 2, 0, d.Signed(protocoltest.Keys(d.Label.Origin)), name)
		}
		refused(t, n, 2, 0, last.Signed(protocoltest.Keys(0)), "signed by the shuffler")
		before := stateOf(t, n.Peers[2])
		if sent, err := n.Deliver(t, 2, protocol.Delivery{Message: sums[0].Signed(protocoltest.Keys(1))}); err != nil || len(sent) > 0 || !bytes.Equal(before, stateOf(t, n.Peers[2])) {
			t.Errorf("an older sum changes a silo: %v", err)
		}
	})
}

// TestASiloThatIsGone permanently stops no other, and counts for nothing once it has left the network; least holds for those that are
// there.
func TestASiloThatIsGone(t *testing.T) {
	both(t, func(t *testing.T, sees shuffling.Sees) {
		texts := func(n *protocoltest.Network, rounds int) (sizes []uint64) {
			h := protocoltest.Faults{Rand: rand.New(rand.NewPCG(1, 1)), Cut: func(from, to protocol.Peer) bool { return from == 5 || to == 5 }}
			for range rounds {
				pay(t, n, 1)
				for _, u := range kind(n, "mixed") {
					sizes = append(sizes, u.Message.Ref(0).Seq)
				}
				h.Befall(n)
			}
			return sizes
		}
		more := uint64(0) // the shuffler's share
		if sees == shuffling.Sum {
			more = 1
		}
		p := small(sees)
		p.Least, p.Deadline, p.Every = 3, 2, 12
		n := protocoltest.New(t, setting(p, 4, dp.None))
		for i, got := range texts(n, 120) {
			if got != 3+more {
				t.Errorf("batch %d: %d texts, want %d", i+1, got, 3+more)
			}
		}
		if x := n.Peers[2].Belief().X[2]; x < 3*12*8 {
			t.Errorf("a silo believes %v, want %v or more", x, 3*12*8)
		}
		if x := n.Peers[5].Belief().X[2]; x != 120 {
			t.Errorf("alone it believes %v, want 120", x)
		}
		// It has one sum of all, and is alone then.
		n = protocoltest.New(t, setting(p, 4, dp.None))
		pay(t, n, 16)
		texts(n, 12*9)
		if x := n.Peers[5].Belief().X[2]; x != 120 {
			t.Errorf("alone from batch 2 on it believes %v, want 120", x)
		}
		// Its report is there, and then it leaves.
		n = protocoltest.New(t, setting(p, 4, dp.None))
		pay(t, n, 12)
		for _, u := range kind(n, "sealed") {
			if u.From != 2 {
				require.Value(n.Deliver(t, 0, u.Delivery))(t)
			}
		}
		n.Underway = slices.DeleteFunc(n.Underway, func(u protocoltest.Parcel) bool { return u.From != 2 })
		n.Graph = protocoltest.Links(6, func(link func(a, b int)) {
			for i := range 4 {
				link(0, i+1)
			}
		})
		n.Restart(t, 0, 0)
		if sizes := texts(n, 12); len(sizes) == 0 || sizes[0] != 3+more {
			t.Errorf("%v texts are forwarded together, want %d", sizes, 3+more)
		}
		// One more leaves.
		p.Least = 4
		s := setting(p, 4, dp.None)
		s.Graph = n.Graph
		if sizes := texts(protocoltest.New(t, s), 60); len(sizes) > 0 {
			t.Errorf("%v texts are forwarded together, want those of 4 silos or none", sizes)
		}
	})
}

// TestSizesThatDoNotFitAreRefused: sums too long to seal, and more silos than parts of a batch can carry.
func TestSizesThatDoNotFitAreRefused(t *testing.T) {
	for _, x := range []struct {
		width, silos int
		fits         bool
	}{{3627, 3, true}, {3628, 3, false}, {3627, 64, false}, {3627, 63, true}} {
		c := protocol.Config{Graph: protocoltest.Star(firstSilo + x.silos), Parts: 1, Width: x.width}
		if _, err := protocol.New(small(shuffling.Sum), c); (err == nil) != x.fits {
			t.Errorf("%+v: %v", x, err)
		}
	}
}
