package receipts

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"peerd.dev/gossip"
	"peerd.dev/internal/require"
	"peerd.dev/node/site/receipts"
	"peerd.dev/protocol"
)

const patience = 20 * time.Second // of a test whose machine is busy

// kept are the receipts that a peer has had.
type kept struct {
	mu  sync.Mutex
	all []receipts.Receipt
}

func (k *kept) keep(r receipts.Receipt) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.all = append(k.all, r)
}

func (k *kept) receipts() []receipts.Receipt {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.all)
}

// ledgerOf returns a checkpoint of n records of one of two ledgers.
func ledgerOf(n uint64, which byte) protocol.Checkpoint {
	return protocol.Checkpoint{Records: n, Head: sha256.Sum256(append(binary.BigEndian.AppendUint64(nil, n), which))}
}

// vouched returns the configurations of peers in a row, of which peer 0 has a ledger of 27 records and wants receipts.
func vouched(n int) ([]gossip.Config, witness, *kept) {
	peers, cs := make([]gossip.PeerInfo, n), make([]gossip.Config, n)
	for i := range cs {
		id := gossip.SeedIdentity([32]byte{byte(i), 1})
		peers[i].ID = id.ID()
		cs[i] = gossip.Config{
			Identity: id, Listen: []string{"/ip4/127.0.0.1/tcp/0"}, Self: protocol.Peer(i), Incarnation: 1, Peers: peers, Network: "test", Checkpoints: true,
			OnRemembered: func(protocol.Peer, protocol.Checkpoint, bool) {}, OnCheckpoint: func(protocol.Peer, protocol.SignedCheckpoint) {},
		}
		if i > 0 {
			cs[i-1].Neighbours, cs[i].Neighbours = append(cs[i-1].Neighbours, protocol.Peer(i)), []protocol.Peer{protocol.Peer(i - 1)}
		}
		cs[i].Services = []gossip.Service{witness{&cs[i], nil}.service()}
		cs[i].Services[0].Run = nil
	}
	cs[0].Checkpoint = ledgerOf(27, 0)
	k := new(kept)
	w := witness{&cs[0], k.keep}
	cs[0].Services = []gossip.Service{w.service()}
	return cs, w, k
}

// answers makes a peer answer what f returns when it is asked for a receipt.
func answers(c *gossip.Config, f func(s io.ReadWriter)) {
	c.Services = []gossip.Service{{ID: receiptProtocol, Answer: func(_ *gossip.Host, s io.ReadWriter, _ protocol.Peer) error {
		f(s)
		return nil
	}}}
}

// start starts hosts from the highest index down, so that the dialling end knows the address, and waits for their links.
func start(t *testing.T, cs []gossip.Config) []*gossip.Host {
	t.Helper()
	hosts := make([]*gossip.Host, len(cs))
	for i := range slices.Backward(cs) {
		h := require.Value(gossip.NewHost(cs[i]))(t)
		t.Cleanup(func() { _ = h.Close() })
		cs[i].Peers[i].Addrs = h.Addrs()
		hosts[i] = h
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for _, h := range hosts {
		require.NoError(t, h.Ready(ctx))
	}
	return hosts
}

func eventually(t *testing.T, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !f(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("still not: %s", what)
		}
	}
}

func refused(h *gossip.Host, p protocol.Peer) (n uint64) {
	for _, s := range h.Status() {
		if s.Peer == p {
			n = s.Refused
		}
	}
	return n
}

// everyone asks all neighbours whose links are up.
func everyone(ctx context.Context, w witness, h *gossip.Host) {
	up, _ := h.Linked()
	w.ask(ctx, h, up)
}

// TestANeighbourVouchesForALedger as soon as its link is up, in the bytes that docs/network.md describes, and the
// network's document is enough to verify it.
func TestANeighbourVouchesForALedger(t *testing.T) {
	cs, _, k := vouched(2)
	before := time.Now().Unix()
	start(t, cs)
	eventually(t, "a receipt", func() bool { return len(k.receipts()) > 0 })
	r := k.receipts()[0]
	if r.Checkpoint != ledgerOf(27, 0) || r.Witness != cs[1].Identity.ID() || r.Time < before || r.Time > time.Now().Unix() {
		t.Errorf("%+v", r)
	}
	b := append([]byte("test\x00"+cs[0].Identity.ID()+"\x00"), 0, 0, 0, 0, 0, 0, 0, 27)
	b = binary.BigEndian.AppendUint64(append(b, r.Head[:]...), uint64(r.Time))
	if !gossip.Verify(r.Witness, "peerd/receipt/1", b, r.Signature[:]) {
		t.Error("the signature covers something else")
	}
}

// forged returns the answer of a neighbour with a key, to the owner with the configuration c.
func forged(c *gossip.Config, key gossip.Identity, owner protocol.Peer, r receipts.Receipt) []byte {
	sig, err := key.Sign(signedReceipt, witness{c, nil}.attested(owner, &r))
	if err != nil {
		panic(err)
	}
	copy(r.Signature[:], sig)
	return r.Bytes()
}

// TestALyingWitness gives no receipt, is counted, and its link stays up. What it signs with its key is its own
// statement: the site compares the checkpoint with the ledger.
func TestALyingWitness(t *testing.T) {
	cs, w, k := vouched(3)
	cs[0].Services[0].Run = nil
	var answer []byte
	answers(&cs[1], func(s io.ReadWriter) { _, _ = s.Write(append([]byte{byte(len(answer))}, answer...)) })
	hosts := start(t, cs)
	now := time.Now().Unix()
	good := receipts.Receipt{Checkpoint: ledgerOf(27, 0), Time: now}
	other := cs[0]
	other.Network = "other"
	changed := forged(&cs[0], cs[1].Identity, 0, good)
	changed[7] = 26
	year := good
	year.Time = maxTime + 1
	past := good
	past.Time = -1
	for _, c := range []struct {
		name    string
		answer  []byte
		refused uint64
		kept    int
	}{
		{"nothing", nil, 0, 0},
		{"its own statement", forged(&cs[0], cs[1].Identity, 0, good), 0, 1},
		{"another head, which it has signed", forged(&cs[0], cs[1].Identity, 0, receipts.Receipt{Checkpoint: ledgerOf(27, 1), Time: now}), 0, 1},
		{"an older time", forged(&cs[0], cs[1].Identity, 0, receipts.Receipt{Checkpoint: ledgerOf(27, 0), Time: 1}), 0, 1},
		{"a number that it has not signed", changed, 1, 0},
		{"another network", forged(&other, cs[1].Identity, 0, good), 1, 0},
		{"another key", forged(&cs[0], cs[2].Identity, 0, good), 1, 0},
		{"another owner's", forged(&cs[0], cs[1].Identity, 2, good), 1, 0},
		{"its own", forged(&cs[0], cs[1].Identity, 1, good), 1, 0},
		{"no record", forged(&cs[0], cs[1].Identity, 0, receipts.Receipt{Time: now}), 1, 0},
		{"the year 10000", forged(&cs[0], cs[1].Identity, 0, year), 1, 0},
		{"before 1970", forged(&cs[0], cs[1].Identity, 0, past), 1, 0},
		{"a part", changed[:50], 1, 0},
		{"too much", make([]byte, receipts.Size+1), 1, 0},
	} {
		before, had := refused(hosts[0], 1), len(k.receipts())
		answer = c.answer
		everyone(t.Context(), w, hosts[0])
		if n := refused(hosts[0], 1) - before; n != c.refused {
			t.Errorf("%s: counted %d times, want %d", c.name, n, c.refused)
		}
		if n := len(k.receipts()) - had; n != c.kept {
			t.Errorf("%s: %d receipts, want %d", c.name, n, c.kept)
		}
	}
	if up, _ := hosts[0].Linked(); up[1] == nil {
		t.Error("the link is down")
	}
}

// TestWhoSignsNoReceipt: an older peer, which is no fault, one that never answers, which delays no other one for long, and one that
// remembers nothing.
func TestWhoSignsNoReceipt(t *testing.T) {
	var log strings.Builder
	for what, change := range map[string]func(c *gossip.Config){
		"an older peer":        func(c *gossip.Config) { c.Services = nil },
		"it never answers":     func(c *gossip.Config) { answers(c, func(io.ReadWriter) { <-t.Context().Done() }) },
		"it remembers nothing": func(*gossip.Config) {},
	} {
		cs, w, k := vouched(2)
		cs[0].Services[0].Run, cs[0].Logger = nil, slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn}))
		if change(&cs[1]); what == "it remembers nothing" {
			cs[0].Checkpoint = protocol.Checkpoint{}
		}
		hosts := start(t, cs)
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		began := time.Now()
		everyone(ctx, w, hosts[0])
		cancel()
		if took := time.Since(began); took > patience/4 {
			t.Errorf("%s: asking took %v", what, took)
		}
		if got := k.receipts(); len(got) > 0 || refused(hosts[0], 1) > 0 {
			t.Errorf("%s: receipts %+v, refused %d", what, got, refused(hosts[0], 1))
		}
		_ = hosts[0].Close()
	}
	if log.Len() > 0 {
		t.Error(log.String())
	}
}

// TestOnlyAnEmptyFrameAsks: the opener does not choose what is signed.
func TestOnlyAnEmptyFrameAsks(t *testing.T) {
	cs, _, _ := vouched(2)
	cs[0].Services[0].Run = nil
	hosts := start(t, cs)
	ask := func(question []byte) (b []byte) {
		_ = hosts[0].Ask(t.Context(), 1, receiptProtocol, func(s io.ReadWriter) (err error) {
			if _, err = s.Write(question); err == nil {
				b, err = io.ReadAll(io.LimitReader(s, receipts.Size+1))
			}
			return err
		})
		return b
	}
	eventually(t, "a receipt", func() bool { return len(ask([]byte{0})) == receipts.Size+1 })
	if b := ask([]byte("\x09sign this")); len(b) > 0 || refused(hosts[1], 0) != 1 {
		t.Errorf("it answers %x, and refused %d", b, refused(hosts[1], 0))
	}
}

// TestTheScheduleOfReceipts: once after each link-up, and then again and again, whatever the ledger and other links do meanwhile; what the
// peer sends for it is always the same.
func TestTheScheduleOfReceipts(t *testing.T) {
	var asked [2][]string
	for busy := range asked {
		cs, w, _ := vouched(3)
		cs[0].Neighbours, cs[1].Neighbours, cs[2].Neighbours = []protocol.Peer{1, 2}, []protocol.Peer{0}, []protocol.Peer{0}
		cs[0].Services[0].Run = func(ctx context.Context, h *gossip.Host) {
			for up, changed := h.Linked(); len(up) < 2; up, changed = h.Linked() { // else the period has begun before the first question
				select {
				case <-changed:
				case <-ctx.Done():
					return
				}
			}
			w.gather(ctx, h, 10*time.Millisecond, 400*time.Millisecond)
		}
		var mu sync.Mutex
		answers(&cs[1], func(s io.ReadWriter) {
			b, _ := io.ReadAll(io.LimitReader(s, 1))
			mu.Lock()
			defer mu.Unlock()
			asked[busy] = append(asked[busy], string(b))
			_, _ = s.Write([]byte{0})
		})
		hosts := start(t, cs)
		count := func() int { mu.Lock(); defer mu.Unlock(); return len(asked[busy]) }
		eventually(t, "the first", func() bool { return count() >= 1 })
		began := time.Now()
		if busy == 1 {
			_ = hosts[2].Close() // another link goes down
		}
		for n := uint64(28); busy == 1 && count() == 1; n++ {
			hosts[0].Confirm(t.Context(), ledgerOf(n, 0))
			time.Sleep(20 * time.Millisecond) // a neighbour takes 60 streams in 10 s
		}
		eventually(t, "the second", func() bool { return count() >= 2 })
		if took := time.Since(began); took < 200*time.Millisecond {
			t.Errorf("asked again after %v", took)
		}
		_ = hosts[0].Close()
	}
	if a, b := strings.Join(asked[0][:2], ""), strings.Join(asked[1][:2], ""); a != "\x00\x00" || b != a {
		t.Errorf("the questions were %q and %q", a, b)
	}
}
