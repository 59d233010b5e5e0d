package gossip

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"

	"peerd.dev/gossip/wire"
	"peerd.dev/internal/require"
)

// paper is a Document that holds words.
type paper struct {
	mu           sync.Mutex
	words        []string
	most, merged int // frames, at once and in all
}

func hashed(word string) []byte {
	sum := sha256.Sum256([]byte(word))
	return sum[:8]
}

func (p *paper) Summary() (b []byte, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, w := range slices.Compact(slices.Clone(p.words)) {
		b = append(b, hashed(w)...)
	}
	return b, nil
}

func (p *paper) Lacks(summary []byte) (frames [][]byte, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, w := range p.words {
		if !bytes.Contains(summary, hashed(w)) {
			frames = append(frames, []byte(w))
		}
	}
	return frames, nil
}

func (p *paper) Merge(frames [][]byte) (lie error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.most, p.merged = max(p.most, len(frames)), p.merged+len(frames)
	for _, f := range frames {
		switch w := string(f); {
		case strings.HasPrefix(w, "wrong"):
			return fmt.Errorf("%w: a wrong word", ErrDocument)
		case w == "signed-by-0":
			lie = &Lie{0, fmt.Errorf("%w: a wrong word of peer 0", ErrDocument)}
		case !slices.Contains(p.words, w):
			p.words = append(p.words, w)
		}
	}
	slices.Sort(p.words)
	return lie
}

func (p *paper) has(want string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.words, " ") == want
}

// Documents go both ways in one exchange, also to peers that are not neighbours. Peers with former ids receive them,
// and can do nothing else.
func TestDocumentsAreTraded(t *testing.T) {
	cs := configs(3, path(3))
	papers := []*paper{{words: []string{"a"}}, {words: []string{"b"}}, {words: []string{"c"}}}
	stranger, former := SeedIdentity([32]byte{91}), SeedIdentity([32]byte{92})
	for i := range cs {
		cs[i].Document, cs[i].Peers[0].Former = papers[i], []string{former.ID()}
	}
	hosts := start(t, cs)
	ready(t, hosts...)
	if err := hosts[0].TradeDocument(t.Context(), 1); err != nil || !papers[0].has("a b") || !papers[1].has("a b") {
		t.Error(err, papers[0].words, papers[1].words)
	}
	if err := hosts[0].TradeDocument(t.Context(), 1); err != nil { // nothing to say
		t.Error(err)
	}
	if err := hosts[2].TradeDocument(t.Context(), 1); err != nil || !papers[2].has("a b c") || !papers[1].has("a b c") {
		t.Error(err, papers[2].words)
	}
	papers[1].words = append(papers[1].words, "wrong")
	if err := hosts[0].TradeDocument(t.Context(), 1); err == nil || !strings.Contains(err.Error(), "a wrong word") {
		t.Error(err)
	}
	papers[1].words = []string{"a"}

	at := PeerInfo{ID: hosts[1].ID(), Addrs: hosts[1].Addrs()}
	other := &paper{words: []string{"z"}}
	from, err := TradeDocument(t.Context(), former, at, other)
	if err != nil || !papers[1].has("a") || !other.has("a z") || !strings.HasPrefix(from, "/ip4/127.0.0.1/tcp/") { // it receives, and is not heard
		t.Error(err, papers[1].words, other.words, from)
	}
	if _, err = TradeDocument(t.Context(), stranger, at, other); err == nil {
		t.Error("a stranger was heard")
	}
	if _, err = Probe(t.Context(), Config{
		Identity: former, Self: 0, Peers: []PeerInfo{{ID: former.ID()}, at}, Neighbours: cs[0].Neighbours, Network: cs[0].Network, Policy: cs[0].Policy,
	}, 1); err == nil {
		t.Error("a peer with a former id was probed")
	}
}

// TestLongListsGoBothWays, in batches, and of more than 20,000 frames the first ones. Two that agree send a frame each.
func TestLongListsGoBothWays(t *testing.T) {
	cs := configs(2, path(2))
	papers := []*paper{{}, {}}
	for i := range 4000 {
		papers[i%2].words = append(papers[i%2].words, fmt.Sprint(i, strings.Repeat("x", 1000)))
	}
	for i := range cs {
		cs[i].Document = papers[i]
	}
	hosts := start(t, cs)
	ready(t, hosts...)
	begin := time.Now()
	err := hosts[0].TradeDocument(t.Context(), 1)
	t.Logf("2,000 frames of 1,000 bytes in each direction: %v", time.Since(begin))
	for i, p := range papers {
		if err != nil || len(p.words) != 4000 || p.merged != 2000 || p.most != maxBatch {
			t.Errorf("%v: peer %d has %d words of 4,000; %d merged, at most %d at once", err, i, len(p.words), p.merged, p.most)
		}
	}
	s := require.Value(hosts[0].libp2p.NewStream(t.Context(), hosts[1].libp2p.ID(), documentProtocol))(t)
	m := &metered{Stream: s}
	if err = new(trader).trade(m, papers[0], nil).open(); err != nil || m.out != 1+sha256.Size || m.in != 1 {
		t.Errorf("%v: %d bytes out and %d in between two that agree", err, m.out, m.in)
	}
	papers[0].words, papers[1].words, papers[1].merged = slices.Repeat([]string{"y"}, maxFrames+1), []string{"z"}, 0
	if err = hosts[0].TradeDocument(t.Context(), 1); err != nil || papers[1].merged != maxFrames || !papers[1].has("y z") {
		t.Error(err, papers[1].merged)
	}
}

// TestWhoBreaksAnExchangeIsNamed at either end of it. A connection that ends is no fault.
func TestWhoBreaksAnExchangeIsNamed(t *testing.T) {
	cs := configs(3, path(3))
	for i := range cs {
		cs[i].Document = &paper{words: []string{"a"}}
	}
	victim := start(t, cs[1:])[0]
	eventually(t, "a link", func() bool { return status(victim, 2).State == Up })
	r := raw(t, cs[0].Identity, victim)
	both := func(b string, end func(s network.Stream) error) (counted uint64) {
		was := status(victim, 0).Refused
		play := func(s network.Stream, before []byte) {
			_, _ = s.Write(append(before, b...))
			_ = end(s)
			_, _ = io.Copy(io.Discard, s)
		}
		r.SetStreamHandler(documentProtocol, func(s network.Stream) { play(s, nil) })
		if err := victim.TradeDocument(t.Context(), 0); err == nil {
			t.Error("no error")
		}
		s := require.Value(r.NewStream(t.Context(), victim.libp2p.ID(), documentProtocol))(t)
		play(s, wire.Prefixed(make([]byte, 32)))
		return status(victim, 0).Refused - was
	}
	summary := string(wire.Prefixed(hashed("b")))
	for name, b := range map[string]string{
		"no summary": "", "half a summary": summary[:5], "a summary of 512 KiB and a byte": "\x81\x80\x20" + strings.Repeat("x", maxSummary+1) + "\x00",
		"a frame of 64 KiB and a byte": summary + "\x81\x80\x04" + strings.Repeat("x", maxShown+1) + "\x00",
		"20,001 frames":                summary + strings.Repeat("\x01x", maxFrames+1) + "\x00",
		"no end":                       summary + "\x01x\x01y", "an end within a frame": summary + "\x03x",
	} {
		if n := both(b, network.Stream.CloseWrite); n != 2 {
			t.Errorf("%s: counted %d times, want 2", name, n)
		}
	}
	if n := both(summary, func(s network.Stream) error { return s.Conn().Close() }); n > 0 || status(victim, 2).Refused > 0 {
		t.Error("blamed without a fault:", n, status(victim, 2).Refused)
	}
	if _, err := (&trade{Stream: broken{}}).Read(nil); errors.Is(err, wire.ErrViolation) {
		t.Error("a broken connection is a fault:", err)
	}
}

// broken is a stream whose connection has ended, as behind a proxy.
type broken struct{ network.Stream }

func (broken) Read([]byte) (int, error) { return 0, fmt.Errorf("%w: %w", network.ErrReset, io.EOF) }

// TestWhoIsInvitedIsHeard, and a peer that left only receives.
func TestWhoIsInvitedIsHeard(t *testing.T) {
	invited, gone := SeedIdentity([32]byte{93}), SeedIdentity([32]byte{94})
	cs := configs(2, path(2))
	papers := []*paper{{words: []string{"a"}}, {words: []string{"a"}}}
	peers := append(cs[0].Peers, PeerInfo{ID: invited.ID(), Absent: true}, PeerInfo{ID: gone.ID(), Absent: true, Gone: true})
	for i := range cs {
		cs[i].Document, cs[i].Peers = papers[i], peers
	}
	hosts := start(t, cs)
	ready(t, hosts...)
	at := PeerInfo{ID: hosts[1].ID(), Addrs: hosts[1].Addrs()}
	for id, want := range map[*Identity]string{&invited: "a invited", &gone: "a"} {
		papers[1].words = []string{"a"}
		word := "invited"
		if id == &gone {
			word = "gone"
		}
		if _, err := TradeDocument(t.Context(), *id, at, &paper{words: []string{word}}); err != nil || !papers[1].has(want) {
			t.Error(word, err, papers[1].words)
		}
	}
}

// TestWhoAbusesTheDocumentIsNamed: what a peer shows against the rules and what it asks for too often is counted for
// that peer, and one line a minute names it. The other peer counts nothing.
func TestWhoAbusesTheDocumentIsNamed(t *testing.T) {
	cs := configs(3, path(3))
	for i := range cs {
		cs[i].Document = &paper{words: []string{"a"}}
		cs[i].Peers[2].Name, cs[i].Peers[0].Name = "liar", "honest"
	}
	var log lines
	cs[1].Logger = slog.New(slog.NewTextHandler(&log, nil))
	liars := &paper{words: []string{"wrong"}}
	cs[2].Document = liars
	hosts := start(t, cs)
	ready(t, hosts...)
	refused := func() (honest, liar uint64) {
		all := hosts[1].Status()
		return all[0].Refused, all[1].Refused
	}
	wasHonest, was := refused()
	const lies = 5
	for range lies {
		_ = hosts[2].TradeDocument(t.Context(), 1)
	}
	if _, n := refused(); n != was+lies {
		t.Errorf("%d lies of %d are counted", n-was, lies)
	}
	if _ = hosts[1].TradeDocument(t.Context(), 2); log.warnings("liar") != 1 {
		t.Errorf("%d lines name the liar, want 1:\n%s", log.warnings("liar"), log.text.String())
	}
	if _, n := refused(); n != was+lies+1 {
		t.Error("what the liar answers is not counted")
	}
	liars.mu.Lock()
	liars.words = []string{"a"} // and nothing to say
	liars.mu.Unlock()
	const over = 7
	for range maxTrades - lies + over {
		_ = hosts[2].TradeDocument(t.Context(), 1)
	}
	if _, n := refused(); n != was+lies+1+over {
		t.Errorf("%d are counted, want %d", n-was, lies+1+over)
	}
	if err := hosts[0].TradeDocument(t.Context(), 1); err != nil {
		t.Error("a flood keeps another peer from trading:", err)
	}
	if honest, _ := refused(); honest != wasHonest || log.warnings("honest") > 0 || log.warnings("liar") != 1 {
		t.Error("who is named:", honest, log.text.String())
	}
}

// TestALieIsCountedForWhoSignedIt: not for the peer that relays it, whose exchange goes on.
func TestALieIsCountedForWhoSignedIt(t *testing.T) {
	cs := configs(3, path(3))
	for i, words := range [][]string{{"a"}, {"a"}, {"a", "signed-by-0", "z"}} {
		cs[i].Document = &paper{words: words}
	}
	hosts := start(t, cs)
	ready(t, hosts...)
	for i, trade := range []func() error{
		func() error { return hosts[2].TradeDocument(t.Context(), 1) }, // which 1 answers
		func() error { return hosts[1].TradeDocument(t.Context(), 2) },
	} {
		if err := trade(); err != nil {
			t.Errorf("an honest relay is not heard: %v", err)
		}
		if !cs[1].Document.(*paper).has("a z") {
			t.Error("the exchange has not gone on")
		}
		if all := hosts[1].Status(); all[0].Refused != uint64(i+1) || all[1].Refused != 0 {
			t.Errorf("counted: %d for the author, %d for the relay", all[0].Refused, all[1].Refused)
		}
	}
}

// TestAClosedHostHasHeardNobody.
func TestAClosedHostHasHeardNobody(t *testing.T) {
	cs := configs(2, path(2))
	for i := range cs {
		cs[i].Document = &paper{words: []string{"a"}}
	}
	hosts := start(t, cs)
	require.NoError(t, hosts[0].Close())
	if err := hosts[0].TradeDocument(t.Context(), 1); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}

// TestAFloodIsShort: a peer may do something some times in a period, and again in the next.
func TestAFloodIsShort(t *testing.T) {
	x := quota{of: "exchanges", most: maxTrades}
	now := time.Unix(1, 0)
	for i := range 3 * maxTrades {
		if err := x.take(now); (err == nil) != (i < maxTrades) {
			t.Fatal(i, err)
		}
	}
	if err := x.take(now.Add(period)); err != nil {
		t.Error(err)
	}
}

func TestVerify(t *testing.T) {
	id := SeedIdentity([32]byte{1})
	sig, err := id.Sign("domain", []byte("text"))
	if err != nil || !Verify(id.ID(), "domain", []byte("text"), sig) {
		t.Error(err)
	}
	if Verify(id.ID(), "other", []byte("text"), sig) || Verify(id.ID(), "domain", []byte("texts"), sig) ||
		Verify(SeedIdentity([32]byte{2}).ID(), "domain", []byte("text"), sig) || Verify("nobody", "domain", []byte("text"), sig) || Verify(peer.ID("x").String(), "domain", nil, nil) {
		t.Error("a signature of something else")
	}
}
