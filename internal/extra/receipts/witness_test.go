package gossip

import (
	"bufio"
	"context"
	"encoding/binary"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/network"

	"peerd.dev/protocol"
)

// kept are the receipts that a host has passed on.
type kept struct {
	mu  sync.Mutex
	all []protocol.Receipt
}

func (k *kept) watch(c *Config) {
	c.OnReceipt = func(r protocol.Receipt) {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.all = append(k.all, r)
	}
}

func (k *kept) receipts() []protocol.Receipt {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.all)
}

// vouched returns the configurations of peers in a row, of which peer 0 has a ledger of 27 records and wants receipts.
func vouched(n int) ([]Config, *kept) {
	cs, _ := checkpointed(configs(n, path(n)))
	cs[0].Checkpoint = checkpointOf(27)
	k := new(kept)
	k.watch(&cs[0])
	return cs, k
}

// TestANeighbourVouchesForALedger as soon as its link is up, in the bytes that docs/network.md describes, and the
// network's document is enough to verify it.
func TestANeighbourVouchesForALedger(t *testing.T) {
	cs, k := vouched(2)
	before := time.Now().Unix()
	ready(t, start(t, cs)...)
	eventually(t, "a receipt", func() bool { return len(k.receipts()) > 0 })
	r := k.receipts()[0]
	if r.Checkpoint != checkpointOf(27) || r.Witness != cs[1].Identity.ID() || r.Time < before || r.Time > time.Now().Unix() {
		t.Errorf("%+v", r)
	}
	b := append([]byte("test\x00"+cs[0].Identity.ID()+"\x00"), 0, 0, 0, 0, 0, 0, 0, 27)
	b = binary.BigEndian.AppendUint64(append(b, r.Head[:]...), uint64(r.Time))
	if !Verify(r.Witness, "peerd/receipt/1", b, r.Signature[:]) {
		t.Error("the signature covers something else")
	}
}

// forged returns the answer of a neighbour with a key, to the owner with the configuration c.
func forged(c *Config, key Identity, owner protocol.Peer, r protocol.Receipt) []byte {
	sig, err := key.Sign(signedReceipt, c.attested(owner, &r))
	if err != nil {
		panic(err)
	}
	copy(r.Signature[:], sig)
	return r.Bytes()
}

// answers makes a host answer what f returns when it is asked for a receipt.
func answers(h *Host, f func(s network.Stream)) {
	h.libp2p.SetStreamHandler(receiptProtocol, func(s network.Stream) {
		f(s)
		_ = s.Close()
	})
}

// TestALyingWitness gives no receipt, is counted and named, and its link stays up. What it signs with its key is its own
// statement: the site compares the checkpoint with the ledger.
func TestALyingWitness(t *testing.T) {
	cs, k := vouched(3)
	hosts := start(t, cs)
	ready(t, hosts...)
	eventually(t, "a receipt", func() bool { return len(k.receipts()) == 1 })
	now := time.Now().Unix()
	good := protocol.Receipt{Checkpoint: checkpointOf(27), Time: now}
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
		{"another head, which it has signed", forged(&cs[0], cs[1].Identity, 0, protocol.Receipt{Checkpoint: branch(27, 1), Time: now}), 0, 1},
		{"an older time", forged(&cs[0], cs[1].Identity, 0, protocol.Receipt{Checkpoint: checkpointOf(27), Time: 1}), 0, 1},
		{"a number that it has not signed", changed, 1, 0},
		{"another network", forged(&other, cs[1].Identity, 0, good), 1, 0},
		{"another key", forged(&cs[0], cs[2].Identity, 0, good), 1, 0},
		{"another owner's", forged(&cs[0], cs[1].Identity, 2, good), 1, 0},
		{"its own", forged(&cs[0], cs[1].Identity, 1, good), 1, 0},
		{"no record", forged(&cs[0], cs[1].Identity, 0, protocol.Receipt{Time: now}), 1, 0},
		{"the year 10000", forged(&cs[0], cs[1].Identity, 0, year), 1, 0},
		{"before 1970", forged(&cs[0], cs[1].Identity, 0, past), 1, 0},
		{"a part", changed[:50], 1, 0},
		{"too much", make([]byte, protocol.ReceiptSize+1), 1, 0},
	} {
		refused, had := hosts[0].members[1].refused.Load(), len(k.receipts())
		answers(hosts[1], func(s network.Stream) { _, _ = s.Write(prefixed(c.answer)) })
		hosts[0].AskReceipts(t.Context())
		if n := hosts[0].members[1].refused.Load() - refused; n != c.refused {
			t.Errorf("%s: counted %d times, want %d", c.name, n, c.refused)
		}
		if n := len(k.receipts()) - had; n != c.kept {
			t.Errorf("%s: %d receipts, want %d", c.name, n, c.kept)
		}
	}
	if state, _, _ := hosts[0].members[1].link.state(); state != Up {
		t.Error("the link is ", state)
	}
}

// TestWhoSignsNoReceipt: an older peer, which is no fault, one that never answers, which delays no other one for long, and one that
// remembers nothing.
func TestWhoSignsNoReceipt(t *testing.T) {
	cs, k := vouched(2)
	var log lines
	cs[0].Logger = log.logger()
	hosts := start(t, cs)
	hosts[1].libp2p.RemoveStreamHandler(receiptProtocol)
	ready(t, hosts...)
	hosts[0].AskReceipts(t.Context())
	answers(hosts[1], func(network.Stream) { <-t.Context().Done() })
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	began := time.Now()
	hosts[0].AskReceipts(ctx)
	if took := time.Since(began); took > helloTimeout {
		t.Error("asking took ", took)
	}
	hosts[1].handleTrades(receiptProtocol, hosts[1].giveReceipt)
	eventually(t, "the checkpoint is remembered", func() bool { return hosts[1].members[0].remembered().Records > 0 })
	for _, of := range []protocol.SignedCheckpoint{{}, {Checkpoint: checkpointOf(27)}, signedBy(&cs[1], checkpointOf(27))} { // none, unsigned, or signed by another
		hosts[1].members[0].keep(of)
		hosts[0].AskReceipts(t.Context())
	}
	if got := k.receipts(); len(got) > 0 {
		t.Errorf("receipts %+v", got)
	}
	if n := log.count("level=WARN") + log.count("level=ERROR"); n > 0 || hosts[0].members[1].refused.Load() > 0 {
		t.Errorf("%d lines of the log", n)
	}
}

// TestWhoGetsNoReceipt: a former member, a replaced key, and one that asks too often or otherwise than with an empty frame.
func TestWhoGetsNoReceipt(t *testing.T) {
	cs, _ := vouched(3)
	former := SeedIdentity([32]byte{90})
	cs[1].Peers[0].Former = []string{former.ID()}
	cs[1].Peers[2].Absent, cs[1].Peers[2].Gone = true, true
	cs[1].Known = []protocol.SignedCheckpoint{signedBy(&cs[0], checkpointOf(27)), {}, signedBy(&cs[2], checkpointOf(5))}
	cs[1].Neighbours = []protocol.Peer{0}
	witness := begin(t, cs[1])
	ask := func(id Identity, question []byte) (answer []byte, err error) {
		r := raw(t, id, witness)
		defer r.Close()
		s, err := r.NewStream(t.Context(), witness.libp2p.ID(), receiptProtocol)
		if err != nil {
			return nil, err
		}
		defer func() { _ = s.Reset() }()
		if _, err = s.Write(question); err != nil {
			return nil, err
		}
		_ = s.SetReadDeadline(time.Now().Add(patience))
		f := frameReader{r: bufio.NewReader(s)}
		return f.next(protocol.ReceiptSize)
	}
	for name, c := range map[string]struct {
		key      Identity
		question []byte
	}{
		"a replaced key": {former, []byte{0}}, "a former member": {cs[2].Identity, []byte{0}}, "a question": {cs[0].Identity, prefixed([]byte("sign this"))},
	} {
		if b, err := ask(c.key, c.question); err == nil {
			t.Errorf("%s got %x", name, b)
		}
	}
	if b, err := ask(cs[0].Identity, []byte{0}); err != nil || len(b) != protocol.ReceiptSize {
		t.Errorf("the owner got %x: %v", b, err)
	}
	r := raw(t, cs[0].Identity, witness)
	given := 0
	for range 3 * maxTrades {
		s, err := r.NewStream(t.Context(), witness.libp2p.ID(), receiptProtocol)
		if err != nil {
			continue
		}
		_, _ = s.Write([]byte{0})
		if b, err := io.ReadAll(s); err == nil && len(b) > 1 {
			given++
		}
		_ = s.Reset()
	}
	if given == 0 || given > 2*maxTrades { // of at most two periods
		t.Errorf("%d receipts at once", given)
	}
	if n := witness.members[0].refused.Load(); n < maxTrades {
		t.Errorf("%d of them were refused", n)
	}
}

// TestTheScheduleOfReceipts: once after each link-up, and then again and again, whatever the ledger does meanwhile; what the
// peer sends for it is always the same.
func TestTheScheduleOfReceipts(t *testing.T) {
	var asked [2][]string
	for busy := range asked {
		cs, _ := vouched(2)
		cs[0].OnReceipt = nil // no schedule of its own
		hosts := start(t, cs)
		ready(t, hosts...)
		var mu sync.Mutex
		answers(hosts[1], func(s network.Stream) {
			b, _ := io.ReadAll(io.LimitReader(s, 1))
			mu.Lock()
			defer mu.Unlock()
			asked[busy] = append(asked[busy], string(b))
			_, _ = s.Write([]byte{0})
		})
		hosts[0].cfg.OnReceipt = func(protocol.Receipt) {}
		count := func() int { mu.Lock(); defer mu.Unlock(); return len(asked[busy]) }
		hosts[0].running.Go(func() { hosts[0].gatherReceipts(10*time.Millisecond, 400*time.Millisecond) })
		eventually(t, "the first", func() bool { return count() == 1 })
		began := time.Now()
		for n := uint64(28); busy == 1 && count() == 1; n++ {
			hosts[0].Confirm(t.Context(), checkpointOf(n))
			hosts[0].notify()
			time.Sleep(time.Millisecond)
		}
		eventually(t, "the second", func() bool { return count() == 2 })
		if took := time.Since(began); took < 200*time.Millisecond {
			t.Errorf("asked again after %v", took)
		}
		shut(t, hosts[0])
	}
	if a, b := strings.Join(asked[0][:2], ""), strings.Join(asked[1][:2], ""); a != "\x00\x00" || b != a {
		t.Errorf("the questions were %q and %q", a, b)
	}
}
