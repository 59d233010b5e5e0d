//go:build unix

package durabletest

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"testing"
	"time"

	"peerd.dev/dp"
	"peerd.dev/dp/averages"
	"peerd.dev/internal/command"
	"peerd.dev/internal/daemon"
	"peerd.dev/internal/protocoltest"
	"peerd.dev/internal/require"
	"peerd.dev/internal/vouch"
	"peerd.dev/node/api"
	"peerd.dev/node/store"
	"peerd.dev/protocol"
	"peerd.dev/protocol/shuffling"
)

// The places of the roles in configurations of protocol shuffle; all others are silos.
const (
	shufflerAt = protocol.Peer(0)
	analyzerAt = protocol.Peer(1)
	firstSilo  = 2
)

// A shuffleRecord is what the stores of peers of protocol shuffle show: the messages that they have received, and
// those that they were about to send.
type shuffleRecord struct {
	keys   [2]protocol.Keys                 // of shuffler and analyzer
	sealed map[protocol.Label][]sealedTexts // reports of silos; several if a silo has sealed one again
	mixed  map[protocol.Label][]sealedTexts // parts of batches
	of     map[protocol.Label]uint64        // how many texts a batch has, by part
	totals map[uint64][]dp.Release          // sums, by batch
	silos  []map[dp.Span]dp.Release         // what silos have released, as their ledgers say; by index
	newest []uint64                         // batch, by silo
}

// sealedTexts are the texts of one message.
type sealedTexts []string

func newShuffleRecord() *shuffleRecord {
	return &shuffleRecord{
		sealed: make(map[protocol.Label][]sealedTexts), mixed: make(map[protocol.Label][]sealedTexts),
		of: make(map[protocol.Label]uint64), totals: make(map[uint64][]dp.Release),
	}
}

// read adds what the store of a peer that does not run holds, and returns the messages that the peer has received.
func (r *shuffleRecord) read(s *labSite) (received []protocol.Message) {
	s.Helper()
	st := openStore(s.T, s)
	defer func() { _ = st.Close() }()
	for _, table := range []store.Table{store.Log, store.Outbox, store.Snapshot} {
		for e, err := range st.Scan(table, nil, nil) {
			if err != nil {
				s.Fatal(err)
			}
			for _, m := range messagesIn(e.Value) {
				r.add(m)
				if table == store.Log {
					received = append(received, m)
				}
			}
		}
	}
	return received
}

// messagesIn returns the messages that stand in a saved state, each behind its length.
func messagesIn(b []byte) (all []protocol.Message) {
	for i := range b {
		n, k := binary.Uvarint(b[i:])
		if k <= 0 || n < 8 || n > uint64(len(b)-i-k) || b[i+k] != 0x0a { // the field with which frames begin
			continue
		}
		if m, err := protocol.Decode(vouch.For(b[i+k : i+k+int(n)])); err == nil {
			all = append(all, m)
		}
	}
	return all
}

func shuffleKind(name string) protocol.Kind { return protocoltest.KindOf(shuffling.Params{}, name) }

func (r *shuffleRecord) add(m protocol.Message) {
	var texts sealedTexts
	for _, x := range m.Sealed() {
		texts = append(texts, string(x.Bytes()))
	}
	put := func(to map[protocol.Label][]sealedTexts) {
		if l := m.Label(); !slices.ContainsFunc(to[l], func(x sealedTexts) bool { return slices.Equal(x, texts) }) {
			to[l] = append(to[l], texts)
		}
	}
	switch m.Kind() {
	case shuffleKind("sealed"):
		put(r.sealed)
	case shuffleKind("mixed"):
		put(r.mixed)
		r.of[m.Label()] = m.Ref(0).Seq
	case shuffleKind("total"):
		if m.Body() > 0 {
			total := *m.Release(0)
			if k := m.Label().Seq; !slices.ContainsFunc(r.totals[k], total.Equal) {
				r.totals[k] = append(r.totals[k], total)
			}
		}
	}
}

// ledgers reads what the silos have released, and the keys of the roles.
func (r *shuffleRecord) ledgers(l *lab) {
	l.Helper()
	for i := range r.keys {
		d := require.Value(daemon.NewDeployment(l.sites[i].settings()))(l)
		r.keys[i] = d.Keys.Get()
	}
	r.silos, r.newest = nil, nil
	for _, s := range l.sites[firstSilo:] {
		released, newest := make(map[dp.Span]dp.Release), uint64(0)
		for _, x := range releasesIn(s) {
			if _, twice := released[x.Span()]; twice {
				s.Errorf("silo %d has released %+v twice", s.i, x.Span())
			}
			released[x.Span()], newest = x, max(newest, x.Span().To)
		}
		r.silos, r.newest = append(r.silos, released), append(r.newest, newest)
	}
}

// releasesIn returns the releases in the ledger of a stopped peer as an auditor sees it, with what opens them.
func releasesIn(s *labSite) (all []dp.Release) {
	s.Helper()
	file := s.dir + "/releases.jsonl"
	if c, out := s.peerd("ledger", "export", "--openings", "-o", file); c != command.ExitOK {
		s.Fatalf("ledger export: code %d\n%s", c, out)
	}
	b, err := os.ReadFile(file)
	if err == nil {
		err = os.Remove(file)
	}
	if err != nil {
		s.Fatal(err)
	}
	type numbers struct {
		Kind     string
		From, To uint64
		Counts   []uint64
		Values   []int64
	}
	var of numbers
	for line := range bytes.Lines(b) {
		var x numbers
		if json.Unmarshal(line, &x) != nil || x.Kind != "opening" {
			of = x
			continue
		}
		x.From, x.To = of.From, of.To
		y := require.Value(dp.Received(vouch.For(dp.Fields{Span: dp.Span{From: x.From, To: x.To}, Exponent: dp.GridExponent, Value: x.Values, Count: x.Counts})))(s)
		all = append(all, y)
	}
	return all
}

// open opens a text for a role; false if it is for another peer.
func (r *shuffleRecord) open(role protocol.Peer, text string) (x dp.Release, ok bool) {
	b, err := r.keys[role].Open([]byte(text))
	if err != nil {
		return x, false
	}
	n := int(binary.BigEndian.Uint16(b))
	x, err = protocol.ParseRelease(vouch.For(b[2 : 2+n]))
	return x, err == nil
}

// same reports whether two releases have the same numbers and records.
func same(a, b dp.Release) bool {
	if a.Len() != b.Len() || a.Counts() != b.Counts() || a.Span() != b.Span() {
		return false
	}
	for i := range a.Len() {
		if a.Value(i) != b.Value(i) {
			return false
		}
	}
	return a.Counts() == 0 || a.Count(0) == b.Count(0)
}

// upTo returns how many records the silos have released up to a batch.
func (r *shuffleRecord) upTo(k uint64) (n uint64) {
	for _, released := range r.silos {
		for j := k; j > 0; j &= j - 1 {
			if x, ok := released[dp.Span{From: j & (j - 1), To: j}]; ok {
				n += x.Count(0)
			}
		}
	}
	return n
}

// A batch is what the analyzer got of one batch.
type mixedBatch struct {
	texts  []string
	silos  []int // whose reports they are, in that order
	shares bool  // the first text is the sum of the shuffler's shares
}

// batches returns the batches of which all parts are known. It fails if one was forwarded in two orders, or a text in two batches.
func (r *shuffleRecord) batches(t *testing.T, sees shuffling.Sees) map[uint64]mixedBatch {
	t.Helper()
	owner := make(map[string]int)
	for l, versions := range r.sealed {
		for _, x := range versions {
			owner[x[0]] = int(l.Origin)
		}
	}
	parts := make(map[uint64][]protocol.Label)
	for l, versions := range r.mixed {
		parts[l.Seq] = append(parts[l.Seq], l)
		from := 0
		if sees == shuffling.Sum && l.Stream == 0 { // a shuffler that repeats a step seals its sum again
			from = 1
			first, _ := r.open(analyzerAt, versions[0][0])
			for _, x := range versions[1:] {
				if again, ok := r.open(analyzerAt, x[0]); !ok || !same(again, first) {
					t.Errorf("batch %d was forwarded with two sums of shares", l.Seq)
				}
			}
		}
		for _, x := range versions[1:] {
			if !slices.Equal(x[from:], versions[0][from:]) {
				t.Errorf("batch %d was forwarded in two orders", l.Seq)
			}
		}
	}
	all, in := make(map[uint64]mixedBatch), make(map[string]uint64)
	for k, labels := range parts {
		slices.SortFunc(labels, func(a, b protocol.Label) int { return int(a.Stream) - int(b.Stream) })
		b := mixedBatch{shares: sees == shuffling.Sum}
		for _, l := range labels {
			b.texts = append(b.texts, r.mixed[l][0]...)
		}
		if uint64(len(b.texts)) != r.of[labels[0]] {
			continue // a part is not known
		}
		for i, x := range b.texts {
			if i == 0 && b.shares {
				continue
			}
			if other, twice := in[x]; twice {
				t.Errorf("a text is in batches %d and %d", k, other)
			}
			in[x] = k
			b.silos = append(b.silos, owner[x])
		}
		all[k] = b
	}
	return all
}

// check fails unless every batch was counted once, of what its silos released, and the last ones of all silos. Peers ended up to a
// number of batches apart.
func (r *shuffleRecord) check(t *testing.T, sees shuffling.Sees, apart uint64) {
	t.Helper()
	again := 0
	for l, versions := range r.sealed {
		again += len(versions) - 1
		want, ok := r.silos[l.Origin-firstSilo][dp.Span{From: l.Seq & (l.Seq - 1), To: l.Seq}]
		for _, x := range versions {
			if got, opened := r.report(x); !ok || !opened || !same(got, want) {
				t.Errorf("silo %d has reported another sum of batch %d than its ledger has", l.Origin, l.Seq)
			}
		}
	}
	batches, counts := r.batches(t, sees), make(map[uint64]uint64)
	full, known := 0, 0
	for k, b := range batches {
		if len(b.silos) == len(r.silos) {
			full++
		}
		sum, ok := r.sum(&b)
		if !ok {
			t.Errorf("batch %d: a text is none for the analyzer", k)
			continue
		}
		counts[k] = sum.Count(0)
		if slices.Contains(b.silos, 0) {
			continue // a report was in no store that was read
		}
		known++
		if distinct := slices.Compact(slices.Sorted(slices.Values(b.silos))); len(distinct) != len(b.silos) {
			t.Errorf("batch %d has reports of silos %v", k, b.silos)
		}
		var of []dp.Release
		for _, i := range b.silos {
			of = append(of, r.silos[i-firstSilo][dp.Span{From: k & (k - 1), To: k}])
		}
		if want, err := dp.Total(of); err != nil || !same(sum, want) {
			t.Errorf("batch %d is not the sum of what silos %v have released", k, b.silos)
		}
	}
	exact, most := 0, uint64(0) // a total is compared if its batch and the total before it are in a store that was read
	for k, versions := range r.totals {
		most = max(most, k)
		if len(versions) > 1 {
			t.Errorf("there are %d sums of batch %d", len(versions), k)
		}
		if got, all := versions[0].Count(0), r.upTo(k); got > all {
			t.Errorf("the sum of batch %d has %d records, and silos have released %d", k, got, all)
		}
		want, ok := counts[k]
		if j := k & (k - 1); j > 0 { // it is the sum of batch j, and of what follows
			before := r.totals[j]
			if ok = ok && before != nil; ok {
				want += before[0].Count(0)
			}
		}
		if !ok {
			continue
		}
		if exact++; versions[0].Count(0) != want {
			t.Errorf("the sum of batch %d has %d records, want %d, each batch once", k, versions[0].Count(0), want)
		}
	}
	last := slices.Sorted(maps.Keys(batches))
	together := 0
	for _, k := range last[max(0, len(last)-5):] {
		if len(batches[k].silos) == len(r.silos) {
			together++
		}
	}
	newest := slices.Max(r.newest)
	if together < 3 || newest > most+apart {
		t.Errorf("of the last 5 batches %d have reports of all silos; the newest sum is of batch %d of %d", together, most, newest)
	}
	if 2*exact < len(r.totals) || 2*known < len(batches) || len(batches) < 10 {
		t.Errorf("of %d batches, %d with known silos, and %d sums %d can be compared: this shows little", len(batches), known, len(r.totals), exact)
	}
	for i, n := range r.newest {
		if newest > n+apart {
			t.Errorf("silo %d has released %d batches of %d", i+firstSilo, n, newest)
		}
	}
	t.Logf("%s: %d batches, %d of them with all silos; %d are the sums of what those silos released, and %d of %d totals have each batch once; %d reports were sealed again with the same content",
		sees, len(batches), full, known, exact, len(r.totals), again)
}

// report returns what a silo has reported: what it sealed for the analyzer, or the sum of both shares.
func (r *shuffleRecord) report(x sealedTexts) (dp.Release, bool) {
	a, ok := r.open(analyzerAt, x[0])
	if !ok || len(x) == 1 {
		return a, ok
	}
	b, ok := r.open(shufflerAt, x[1])
	if !ok {
		return b, false
	}
	joined, err := averages.Joined([]dp.Release{a, b})
	return joined, err == nil
}

// sum returns what the analyzer computes of a batch.
func (r *shuffleRecord) sum(b *mixedBatch) (dp.Release, bool) {
	var of []dp.Release
	for _, x := range b.texts {
		y, ok := r.open(analyzerAt, x)
		if !ok {
			return y, false
		}
		of = append(of, y)
	}
	join := dp.Total
	if b.shares {
		join = averages.Joined
	}
	sum, err := join(of)
	return sum, err == nil
}

// silosAreNear reports whether no silo is more than two batches behind another, as one is for a while that was away.
func silosAreNear(all []api.Status) bool {
	released := func(a, b api.Status) int { return cmp.Compare(a.Released, b.Released) }
	silos := all[firstSilo:]
	return slices.MaxFunc(silos, released).Released <= slices.MinFunc(silos, released).Released+2
}

// batchesIn returns how many batches of 200 ms peers that ended first may be behind those that ended last, on a machine that took so
// long to end them, and 8 more for those under way.
func batchesIn(stopping time.Duration) uint64 { return 8 + uint64(stopping/(200*time.Millisecond)) }

// shuffledNetworks are the networks of protocol shuffle for kills, with batches of 200 ms.
func shuffledNetworks() (all []killed) {
	for _, sees := range []shuffling.Sees{shuffling.Reports, shuffling.Sum} {
		record := newShuffleRecord()
		all = append(all, killed{
			name: "sdp-fedlinucb-" + string(sees), file: "sdp-fedlinucb", roles: []int{int(shufflerAt), int(analyzerAt)},
			more: []string{
				"rounds.every=10ms", "rounds.count=1000000", "privacy.horizon=1000000", "privacy.epsilon=1",
				"protocol.shuffle.every=20", "protocol.shuffle.sees=" + string(sees),
			},
			look: func(s *labSite) { record.read(s) },
			near: silosAreNear,
			end: func(l *lab, stopping time.Duration) {
				record.ledgers(l)
				record.check(l.T, sees, batchesIn(stopping))
			},
		})
	}
	return all
}
