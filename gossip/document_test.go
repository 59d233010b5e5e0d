package gossip

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

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
			return errors.New("a wrong word")
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
		cs[i].Document, cs[i].Former = papers[i], []string{former.ID()}
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
