//go:build unix

package durabletest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"peerd.dev/dp"
	"peerd.dev/dp/averages"
	"peerd.dev/dp/state"
	"peerd.dev/internal/daemon"
	"peerd.dev/internal/require"
	"peerd.dev/internal/vouch"
	"peerd.dev/node/ledger"
	"peerd.dev/node/store"
	"peerd.dev/protocol"
)

// A vault is the content of the store of a peer that does not run, including private data, which
// only a test may read like this.
type vault struct {
	sums   []int64  // exact sums of rewards, by arm, on the lattice
	counts []uint64 // rewards under them
	whole  bool     // sums include all rewards, not only those in open leaves
	own    []int64  // of protocol average: the own means
	put    []int64  // the part of them that the peer has entered, followed by its weights
	mixed  []int64  // values and weights, as averaging has left them
	links  []vaultLink
	step   uint64
}

// vaultLink is one link of protocol average.
type vaultLink struct {
	Seq    uint64
	Open   bool
	Last   protocol.Label
	Answer protocol.Kind
	Delta  []byte
}

// openVault reads a store that was closed cleanly, so that its snapshot is complete.
func openVault(t *testing.T, s *labSite) vault {
	t.Helper()
	st := openStore(t, s)
	defer func() { _ = st.Close() }()
	b := require.Value(st.Get(store.Snapshot, nil))(t)
	if e, found, err := st.Last(store.Log); err != nil || found {
		t.Fatalf("log after a clean end: %x %v", e.Key, err)
	}
	arms := len(s.settings().Arms)
	step, agent := readSnapshot(t, b, arms)
	v := vault{step: step}
	if s.features != nil { // its sums have more than one number
		_, _, v.counts = readAgent(t, agent, 1)
		return v
	}
	curator, average, _ := readAgent(t, agent, arms)
	v.readCurator(t, curator)
	if s.settings().Protocol.Name != "average" {
		return v
	}
	var mixed []byte
	readState(t, average, savedVersion, func(r reader) {
		r.uint() // round
		mixed = r.bytes()
		r.bytes() // counts
		r.bytes() // own counts
		for range r.len() {
			v.links = append(v.links, readLink(r))
		}
	})
	if len(mixed) > 0 {
		m := averages.NewMixed(arms, 1)
		require.NoError(t, m.Load(vouch.For(mixed)))
		v.put, v.mixed = make([]int64, 2*arms), make([]int64, 2*arms)
		for k := range arms {
			v.own = append(v.own, m.Own(k))
			v.mixed[k], v.mixed[arms+k] = m.Value(k), m.Weight(k)
			if m.Joined(k) {
				v.put[k], v.put[arms+k] = m.Own(k), 1<<-averages.MeanExponent
			}
		}
	}
	return v
}

func openStore(t *testing.T, s *labSite) *store.Store {
	t.Helper()
	return require.Value(store.Open(filepath.Join(s.dir, daemon.StoreDir), store.Options{ReadOnly: true}))(t)
}

// The first bytes of states of protocols, of agents, and of snapshots.
const (
	savedVersion    = 2
	agentVersion    = 3
	snapshotVersion = 4
)

// A reader returns the fields of a state one by one.
type reader struct{ v *state.Visitor }

func (r reader) uint() (x uint64) {
	r.v.Uint(&x)
	return x
}

func (r reader) float() (x float64) {
	r.v.Float(&x)
	return x
}

func (r reader) bool() (x bool) {
	r.v.Bool(&x)
	return x
}

func (r reader) bytes() (x []byte) {
	r.v.Bytes(&x)
	return x
}

func (r reader) len() int { return r.v.Len(0) }

// readState reads the beginning of a state.
func readState(t *testing.T, b []byte, version byte, read func(reader)) {
	t.Helper()
	require.NoError(t, state.Load(b, version, func(v *state.Visitor) {
		for read(reader{v}); v.More(); {
			var rest byte
			v.Byte(&rest)
		}
	}))
}

// readSnapshot reads the step and the agent of a site's snapshot: see node/site/snapshot.go.
func readSnapshot(t *testing.T, b []byte, arms int) (step uint64, agent []byte) {
	t.Helper()
	readState(t, b, snapshotVersion, func(r reader) {
		r.uint() // round
		r.bool() // begun
		r.uint() // decisions
		r.uint() // pending
		r.v.Uints(make([]uint64, arms))
		r.uint()  // releases
		r.float() // ε left
		r.float() // regret
		for range 3 {
			for range r.len() {
				r.float() // of the newest belief
			}
		}
		step = r.uint()
		r.uint() // ledger records
		agent = r.bytes()
	})
	return step, agent
}

// readAgent reads the curator and the protocol of an agent with arms, and the number of records
// in its streams: see node/agent_state.go.
func readAgent(t *testing.T, b []byte, streams int) (curator, protocol []byte, records []uint64) {
	t.Helper()
	readState(t, b, agentVersion, func(r reader) {
		curator = r.bytes()
		if r.bool() {
			t.Fatal("a peer without arms")
		}
		r.bytes() // learner
		r.uint()  // periods
		records = make([]uint64, streams)
		for i := range 3 { // records in open and closed leaves, and the round of the first
			n := make([]uint64, streams)
			r.v.Uints(n)
			for k := range records {
				if i < 2 {
					records[k] += n[k]
				}
			}
		}
		r.v.Bools(make([]bool, streams))
		r.uint() // epoch
		for range 2 {
			for range r.len() {
				r.uint() // choices and records of the epoch
			}
		}
		protocol = r.bytes()
	})
	return curator, protocol, records
}

// readLink reads a link of protocol average: see protocol/average_state.go.
func readLink(r reader) (l vaultLink) {
	r.uint()  // peer
	r.bool()  // asked
	r.bytes() // claims
	r.uint()  // next
	l.Seq, l.Open = r.uint(), r.bool()
	r.uint() // sent
	l.Last = protocol.Label{Origin: protocol.Peer(r.uint()), Incarnation: uint32(r.uint()), Stream: dp.StreamID(r.uint()), Seq: r.uint()}
	l.Answer, l.Delta = protocol.Kind(r.uint()), r.bytes()
	r.uint() // claimed
	return l
}

// readCurator reads the state of a curator: see dp/state.go.
func (v *vault) readCurator(t *testing.T, b []byte) {
	t.Helper()
	r := bytes.NewReader(b[1:])
	uvar := func() uint64 {
		return require.Value(binary.ReadUvarint(r))(t)
	}
	ivar := func() int64 {
		return require.Value(binary.ReadVarint(r))(t)
	}
	skip := func(n uint64) {
		require.Value(r.Seek(int64(n), 1))(t)
	}
	uvar() // mode
	uvar() // epsilon
	uvar() // delta
	skip(uvar())
	for range uvar() {
		skip(uvar()) // what
		streams := uvar()
		skip(1) // record
		dim := uvar()
		ivar() // lo
		ivar() // hi
		leaves := uvar()
		uvar()  // records per user
		skip(1) // adjacency
		mechanism := dp.Mechanism(uvar())
		v.whole = mechanism.Running()
		skip(1) // mode
		uvar()  // cost
		uvar()  // square
		uvar()  // scale
		levels := 0
		for ; mechanism.Running() && leaves > 0; leaves >>= 1 {
			levels++ // of a tree
		}
		if dim != 1 {
			t.Fatalf("%d dimensions", dim)
		}
		for range streams {
			uvar()        // leaves before the newest beginning
			for range 2 { // the sum before it, and the newest
				if uvar() == 1 {
					skip(1) // law
					uvar()  // scale
					uvar()  // variance
					uvar()  // count
					ivar()  // value
				}
			}
			uvar() // leaves closed
			count := uvar() + uvar()
			sum := ivar() // of the open leaf
			for range levels {
				uvar() // records under nodes
			}
			for range levels {
				sum += ivar()
			}
			for range levels {
				ivar() // noisy nodes
			}
			v.sums, v.counts = append(v.sums, sum), append(v.counts, count)
		}
	}
	if r.Len() > 0 {
		t.Fatalf("%d bytes left of a curator", r.Len())
	}
}

// A book is what a ledger says was drawn.
type book struct {
	sums map[leafKey][]int64 // running sums, by stream and leaf
	n    []uint64            // leaves, by stream
	size uint64
}

type leafKey struct {
	stream dp.StreamID
	leaf   uint64
}

// readBook reads lines of a ledger without gaps.
func readBook(lines [][]byte) (*book, error) {
	b := &book{sums: make(map[leafKey][]int64)}
	for _, line := range lines {
		r, err := ledger.ParseLine(line)
		if err != nil {
			return nil, err
		}
		if r.Seq != b.size {
			return nil, fmt.Errorf("record %d at place %d", r.Seq, b.size)
		}
		b.size++
		rel, ok := r.Body.(*ledger.Release)
		if !ok {
			continue
		}
		for int(rel.Stream) >= len(b.n) {
			b.n = append(b.n, 0)
		}
		if rel.To != b.n[rel.Stream]+1 || len(rel.Values) == 0 {
			return nil, fmt.Errorf("leaf %d of stream %d after %d", rel.To, rel.Stream, b.n[rel.Stream])
		}
		b.n[rel.Stream] = rel.To
		// The node covers the leaves after From; what is before it is a running sum.
		sum := slices.Clone(rel.Values)
		for i, x := range b.sums[leafKey{rel.Stream, rel.From}] {
			sum[i] += x
		}
		b.sums[leafKey{rel.Stream, rel.To}] = sum
	}
	return b, nil
}

// explain returns what is wrong with a message of the peer whose book it is: all its content must
// follow from the book.
func (b *book) explain(m protocol.Message) error {
	switch m.Kind() {
	case kindBatches, kindDescribed:
		for i := range m.Body() {
			x := m.Release(i)
			want, has := b.sums[leafKey{x.Stream(), x.Span().To}], x.Fields().Value
			if !slices.Equal(has, want) {
				return fmt.Errorf("row %d has %d for stream %d up to leaf %d, by the ledger it is %d", m.Label().Seq, has, x.Stream(), x.Span().To, want)
			}
		}
	case kindRow:
		row := m.Release(0)
		for k := range row.Len() {
			want, ok := b.sums[leafKey{dp.StreamID(k), m.Label().Seq}]
			if !ok || row.Value(k) != want[0] {
				return fmt.Errorf("row %d has %d for arm %d, by the ledger it is %d (%v)", m.Label().Seq, row.Value(k), k, want, ok)
			}
		}
	case kindAsk: // of a peer that gets no answers, under max: its own means
		theta, counts := m.Release(0), m.Release(1)
		if theta.Len() != counts.Counts() {
			return fmt.Errorf("%d estimates of %d arms: weights that are not 1", theta.Len(), counts.Counts())
		}
		for k := range counts.Counts() {
			n := counts.Count(k)
			if n == 0 {
				if theta.Value(k) != 0 {
					return fmt.Errorf("an estimate of arm %d without a pull", k)
				}
				continue
			}
			want, err := b.mean(dp.StreamID(k), n)
			if err != nil {
				return err
			}
			if theta.Value(k) != want {
				return fmt.Errorf("mean of arm %d after %d leaves is %d, by the ledger it is %d", k, n, theta.Value(k), want)
			}
		}
	}
	return nil
}

// mean returns the mean of the first n leaves of a stream with one record each.
func (b *book) mean(s dp.StreamID, n uint64) (int64, error) {
	sum, ok := b.sums[leafKey{s, n}]
	if !ok {
		return 0, fmt.Errorf("leaf %d of stream %d is not in the ledger", n, s)
	}
	r, err := dp.Received(vouch.For(dp.Fields{
		Stream: s, Span: dp.Span{To: n}, Count: []uint64{n}, Value: sum, Exponent: dp.GridExponent, Noise: dp.Noise{Scale: 1, VarianceUnits: dp.VarianceScale},
	}))
	if err != nil {
		return 0, err
	}
	m := averages.NewMixed(int(s)+1, 1)
	if _, err := m.ReplaceByMean(int(s), &r); err != nil {
		return 0, err
	}
	return m.Own(int(s)), nil
}
