//go:build unix

package durabletest

import (
	"bytes"
	"crypto/ed25519"
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"peerd.dev/dp"
	"peerd.dev/internal/require"
	"peerd.dev/node/api"
	"peerd.dev/protocol"
	"peerd.dev/protocol/shuffling"
)

// A needles is what is searched for, by its first eight bytes.
type needles map[uint64][][]byte

func (n needles) add(b []byte) {
	key := binary.LittleEndian.Uint64(b)
	n[key] = append(n[key], b)
}

// ofRelease adds the numbers of a release as they stand in a message, each with those behind it; and, two each, as fixed integers
// and as text.
func (n needles) ofRelease(r *dp.Release) {
	for i := range r.Len() - 3 {
		var packed, little, big []byte
		for k := range 4 {
			v := r.Value(i + k)
			packed = binary.AppendVarint(packed, v)
			little = binary.LittleEndian.AppendUint64(little, uint64(v))
			big = binary.BigEndian.AppendUint64(big, uint64(v))
		}
		n.add(packed[:8]) // of more than 1 byte each, with noise
		n.add(little[:16])
		n.add(big[:16])
		if text := fmt.Appendf(nil, "%d,%d", r.Value(i), r.Value(i+1)); len(text) >= 8 {
			n.add(text)
		}
	}
}

// in counts where one of the needles stands.
func (n needles) in(b []byte) (found int) {
	for i := 0; i+8 <= len(b); i++ {
		if b[i] == 0 && b[i+7] == 0 { // files of a store are long and empty
			continue
		}
		for _, x := range n[binary.LittleEndian.Uint64(b[i:])] {
			if bytes.HasPrefix(b[i:], x) {
				found++
			}
		}
	}
	return found
}

// files returns all that a peer has on disk, and its log.
func (s *labSite) files() (all [][]byte) {
	s.Helper()
	read := func(name string) {
		b := require.Value(os.ReadFile(name))(s)
		all = append(all, b)
	}
	require.NoError(s, filepath.WalkDir(s.dir, func(name string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			read(name)
		}
		return err
	}))
	read(s.logPath())
	return all
}

// onDisk counts where one of the needles stands in what a peer has on disk.
func (n needles) onDisk(s *labSite) (found int) {
	s.Helper()
	for _, b := range s.files() {
		found += n.in(b)
	}
	return found
}

// TestWhatShufflerAndAnalyzerHold: six processes are killed after some batches. Nothing that the shuffler has on disk or can open
// has the numbers of a silo's release; nothing that the analyzer has on disk has them, or says whose a report is; and if it sees
// sums alone, nothing that it can open has them. All sealed texts that arrive have one length. The same search finds what silos hold, what
// an analyzer of reports opens, and a number that is planted. Without PEERD_LONG there are a few batches of the kind that shows reports.
func TestWhatShufflerAndAnalyzerHold(t *testing.T) {
	kinds, batches := []shuffling.Sees{shuffling.Reports, shuffling.Sum}, 50
	if os.Getenv("PEERD_LONG") == "" {
		kinds, batches = kinds[:1], 12
	}
	for _, sees := range kinds {
		t.Run(string(sees), func(t *testing.T) {
			l := newConfigured(t, "../../../configs/sdp-fedlinucb.yaml", "rounds.every=10ms", "rounds.count=20000",
				"protocol.shuffle.every=20", "protocol.shuffle.sees="+string(sees))
			for _, s := range l.sites {
				s.start(launch{})
			}
			for _, s := range l.sites {
				s.ready()
			}
			l.await(fmt.Sprint(batches, " batches"), 2*time.Minute, func() bool {
				all := statuses(l.sites)
				return silosAreNear(all) && !slices.ContainsFunc(all[firstSilo:], func(d api.Status) bool { return d.Released < uint64(batches) })
			})
			time.Sleep(500 * time.Millisecond) // until the last ones are counted
			ends := time.Now()
			for _, s := range slices.Backward(l.sites) {
				s.kill()
			}
			apart := batchesIn(time.Since(ends))
			record := newShuffleRecord()
			atShuffler, atAnalyzer := record.read(l.sites[shufflerAt]), record.read(l.sites[analyzerAt])
			for _, s := range l.sites[firstSilo:] {
				record.read(s)
			}
			record.ledgers(l)
			record.check(t, sees, apart)
			checkValues(t, record, sees, l)
			checkOrigins(t, record, sees, l, atAnalyzer, batches)
			checkLengths(t, sees, atShuffler, atAnalyzer)
			if n := len(atShuffler); n < 2*batches || len(atAnalyzer) < batches*4/5 {
				t.Errorf("%d messages arrived at the shuffler and %d at the analyzer: this shows nothing", n, len(atAnalyzer))
			}
		})
	}
}

// checkValues searches what the roles have and can open for the numbers of silos.
func checkValues(t *testing.T, record *shuffleRecord, sees shuffling.Sees, l *lab) {
	t.Helper()
	values, releases := make(needles), 0
	var one dp.Release
	for _, released := range record.silos {
		for _, r := range released {
			values.ofRelease(&r)
			one, releases = r, releases+1
		}
	}
	for _, role := range []protocol.Peer{shufflerAt, analyzerAt} {
		s := l.sites[role]
		if n := values.onDisk(s); n > 0 {
			t.Errorf("the numbers of silos stand in %d places of the folder of peer %d", n, role)
		}
		planted := filepath.Join(s.dir, "planted")
		require.NoError(t, os.WriteFile(planted, protocol.AppendRelease([]byte("some text"), one), 0o600))
		if values.onDisk(s) == 0 {
			t.Errorf("the numbers of a release that were planted in the folder of peer %d are not found", role)
		}
		require.NoError(t, os.Remove(planted))
	}
	for _, s := range l.sites[firstSilo:] {
		if values.onDisk(s) == 0 {
			t.Errorf("the numbers of silo %d are not found in its own folder", s.i)
		}
	}
	opened := [2]int{}
	found := [2]int{}
	for _, messages := range []map[protocol.Label][]sealedTexts{record.sealed, record.mixed} {
		for _, versions := range messages {
			for _, texts := range versions {
				for _, x := range texts {
					for role := range record.keys {
						if r, ok := record.open(protocol.Peer(role), x); ok {
							opened[role]++
							found[role] += min(1, values.in(protocol.AppendRelease(nil, r)))
						}
					}
				}
			}
		}
	}
	bySum := sees == shuffling.Sum
	if found[shufflerAt] > 0 || bySum != (opened[shufflerAt] > 0) {
		t.Errorf("the shuffler opens %d texts, and %d of them have the numbers of a silo", opened[shufflerAt], found[shufflerAt])
	}
	if opened[analyzerAt] == 0 || bySum && found[analyzerAt] > 0 || !bySum && found[analyzerAt] != opened[analyzerAt] {
		t.Errorf("the analyzer opens %d texts, and %d of them have the numbers of a silo", opened[analyzerAt], found[analyzerAt])
	}
	t.Logf("%d releases of silos: no number of them in the folders of shuffler and analyzer; the shuffler opens %d texts, of which %d have any, the analyzer %d, of which %d",
		releases, opened[shufflerAt], found[shufflerAt], opened[analyzerAt], found[analyzerAt])
}

// nearby is how many bytes before and after a report have no name.
const nearby = 4096

// checkOrigins looks for what would show the analyzer whose a report is.
func checkOrigins(t *testing.T, record *shuffleRecord, sees shuffling.Sees, l *lab, received []protocol.Message, batches int) {
	t.Helper()
	for _, m := range received {
		if m.Label().Origin != shufflerAt {
			t.Errorf("the analyzer has received a message of kind %d of peer %d", m.Kind(), m.Label().Origin)
		}
		for i := range m.Refs() {
			if m.Ref(i).Origin != shufflerAt {
				t.Errorf("a batch names peer %d", m.Ref(i).Origin)
			}
		}
	}
	marks, texts := make(needles), make(needles) // of silos; of reports
	for _, s := range l.sites[firstSilo:] {
		id := l.net.Peers[s.i].ID
		decoded := require.Value(peer.Decode(id))(t)
		marks.add([]byte(id))
		marks.add([]byte(decoded)[len(decoded)-ed25519.PublicKeySize:])
	}
	for _, versions := range record.sealed {
		for _, x := range versions {
			texts.add([]byte(x[0][:32]))
		}
	}
	near := func(s *labSite) (places, reports int) {
		for _, b := range s.files() {
			for i := 0; i+8 <= len(b); i++ {
				if b[i] == 0 && b[i+7] == 0 {
					continue
				}
				for _, x := range texts[binary.LittleEndian.Uint64(b[i:])] {
					if bytes.HasPrefix(b[i:], x) {
						reports++
						places += marks.in(b[max(0, i-nearby):min(len(b), i+nearby)])
					}
				}
			}
		}
		return places, reports
	}
	places, reports := near(l.sites[analyzerAt])
	if places > 0 || reports == 0 {
		t.Errorf("the analyzer's folder has %d reports, and names of silos in %d places near them", reports, places)
	}
	signed := make(needles)
	for _, s := range l.sites[firstSilo:] {
		for _, m := range signedBy(l, s) {
			signed.add(m)
		}
	}
	atShuffler, atAnalyzer := signed.onDisk(l.sites[shufflerAt]), signed.onDisk(l.sites[analyzerAt])
	if atAnalyzer > 0 || atShuffler == 0 {
		t.Errorf("signatures of silos stand in %d places of the analyzer's folder and in %d of the shuffler's, want none and some", atAnalyzer, atShuffler)
	}
	orders, most, all := make(map[string]int), 0, 0
	for _, b := range record.batches(t, sees) {
		if len(b.silos) == len(record.silos) && !slices.Contains(b.silos, 0) {
			all++
			orders[fmt.Sprint(b.silos)]++
			most = max(most, orders[fmt.Sprint(b.silos)])
		}
	}
	if 5*all < 3*batches || len(orders) < min(10, all/3) || most > max(6, all/4) { // false alarms: one in 10^5 of 12 batches
		t.Errorf("%d batches in %d orders, and %d in one of them", all, len(orders), most)
	}
	t.Logf("%d reports in the analyzer's folder, none near a name or a key of a silo; signatures of silos in %d places at the shuffler, %d at the analyzer; %d batches in %d of 24 orders",
		reports, atShuffler, atAnalyzer, all, len(orders))
}

// signedBy returns signatures of a silo under its reports, as the shuffler received them.
func signedBy(l *lab, s *labSite) (all [][]byte) {
	r := newShuffleRecord()
	for _, m := range r.read(l.sites[shufflerAt]) {
		if m.Label().Origin == s.i && len(m.Sealed()) > 0 {
			all = append(all, []byte(m.Signature()))
		}
	}
	return all
}

// checkLengths fails unless all texts of one place of a message have one length.
func checkLengths(t *testing.T, sees shuffling.Sees, atShuffler, atAnalyzer []protocol.Message) {
	t.Helper()
	lengths := make(map[string]int)
	for _, m := range slices.Concat(atShuffler, atAnalyzer) {
		for i, x := range m.Sealed() {
			what := "report for the analyzer"
			switch {
			case m.Kind() == shuffleKind("sealed") && i > 0:
				what = "share for the shuffler"
			case m.Kind() == shuffleKind("mixed") && sees == shuffling.Sum && m.Label().Stream == 0 && i == 0:
				what = "share for the shuffler" // the sum of them is as long
			}
			n := len(x.Bytes())
			if had, ok := lengths[what]; ok && had != n {
				t.Errorf("a %s of %d bytes, and one of %d", what, n, had)
			}
			lengths[what] = n
		}
	}
	t.Logf("%d messages arrived at the shuffler, %d at the analyzer; lengths of all texts: %v", len(atShuffler), len(atAnalyzer), lengths)
}
