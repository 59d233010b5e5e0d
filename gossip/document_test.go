package gossip

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"
)

// paper is a Document that holds words.
type paper struct {
	mu    sync.Mutex
	words []string
}

func (p *paper) Show() ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return []byte(strings.Join(p.words, " ")), nil
}

func (p *paper) Merge(b []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, w := range strings.Fields(string(b)) {
		if w == "wrong" {
			return fmt.Errorf("%w: a wrong word", ErrDocument)
		}
		if w == "signed-by-0" {
			return &Lie{0, fmt.Errorf("%w: a wrong word of peer 0", ErrDocument)}
		}
		if !slices.Contains(p.words, w) {
			p.words = append(p.words, w)
		}
	}
	slices.Sort(p.words)
	return nil
}

func (p *paper) has(want string) bool {
	b, _ := p.Show()
	return string(b) == want
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

// logged is a logger's output that may be read while a host runs.
type logged struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logged) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(b)
}

// lines returns how many warnings name a peer.
func (l *logged) lines(peer string) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range strings.Lines(l.b.String()) {
		if strings.Contains(line, "level=WARN") && strings.Contains(line, "peer="+peer) {
			n++
		}
	}
	return n
}

// TestWhoAbusesTheDocumentIsNamed: what a peer shows against the rules and what it asks for too often is counted for
// that peer, and one line a minute names it. The other peer counts nothing.
func TestWhoAbusesTheDocumentIsNamed(t *testing.T) {
	cs := configs(3, path(3))
	for i := range cs {
		cs[i].Document = &paper{words: []string{"a"}}
		cs[i].Peers[2].Name, cs[i].Peers[0].Name = "liar", "honest"
	}
	var log logged
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
	if _ = hosts[1].TradeDocument(t.Context(), 2); log.lines("liar") != 1 {
		t.Errorf("%d lines name the liar, want 1:\n%s", log.lines("liar"), log.b.String())
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
	if honest, _ := refused(); honest != wasHonest || log.lines("honest") > 0 || log.lines("liar") != 1 {
		t.Error("who is named:", honest, log.b.String())
	}
}

// TestALieIsCountedForWhoSignedIt: not for the peer that relays it, whose exchange goes on.
func TestALieIsCountedForWhoSignedIt(t *testing.T) {
	cs := configs(3, path(3))
	for i, words := range [][]string{{"a"}, {"a"}, {"a", "signed-by-0"}} {
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
	if err := hosts[0].Close(); err != nil {
		t.Fatal(err)
	}
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
