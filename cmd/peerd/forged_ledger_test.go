package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/gossip"
	"peerd.dev/node/ledger"
)

// A forgery is a ledger that a peer writes and signs itself, with correct numbers, hashes and
// signature, so that only its content can show that it is forged.
type forgery struct {
	t      *testing.T
	bodies []ledger.Body
	budget account.Budget
	tags   string
}

// open adds a charge, which begins with the next stream, after a change.
func (f *forgery) open(s dp.Spec, change func(c *dp.Charge)) (c dp.Charge) {
	f.t.Helper()
	c, err := s.Charge()
	if err != nil {
		f.t.Fatal(err)
	}
	for _, b := range f.bodies {
		if o, ok := b.(*ledger.Open); ok {
			c.Stream += dp.StreamID(o.Streams)
		}
	}
	if change != nil {
		change(&c)
	}
	f.bodies = append(f.bodies, ledger.Opened(c))
	return c
}

// release adds the release of a leaf's own sum.
func (f *forgery) release(c *dp.Charge, s dp.StreamID, leaf uint64) {
	f.bodies = append(f.bodies, &ledger.Release{
		Round: leaf, Stream: s, From: leaf - 1, To: leaf, Counts: []uint64{1}, Values: []int64{5}, Exponent: dp.GridExponent,
		Noise: dp.Noise{Law: c.Mechanism.Law(), Scale: c.Scale, VarianceUnits: dp.VarianceScale},
	})
}

// verify writes the ledger and runs the command on it.
func (f *forgery) verify() (c code, says string) {
	f.t.Helper()
	id := gossip.SeedIdentity([32]byte{1})
	genesis := &ledger.Genesis{
		Version: ledger.Version, Peer: id.ID(), Network: "clinics", Mode: ledger.Private, Budget: f.budget, Unit: "one reward", Tags: f.tags,
	}
	var chain ledger.Chain
	var text strings.Builder
	for _, b := range append([]ledger.Body{genesis}, f.bodies...) {
		line, err := chain.Append(b)
		if err != nil {
			f.t.Fatal(err)
		}
		_, _ = fmt.Fprintf(&text, "%s\n", line)
	}
	signature, err := id.Sign(ledger.Domain, fmt.Appendf(nil, "clinics\x00%d\x00%v", chain.Next, chain.Head))
	if err != nil {
		f.t.Fatal(err)
	}
	_, _ = fmt.Fprintf(&text, `{"kind":"end","records":%d,"head":"%v","signature":"%x"}`+"\n", chain.Next, chain.Head, signature)
	file := filepath.Join(f.t.TempDir(), "ledger.jsonl")
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		f.t.Fatal(err)
	}
	c, _, says = peerd(f.t, "ledger", "verify", file)
	return c, says
}

// TestForgedLedgersAreRefused: each of five forged ledgers is refused because of its content, and
// the honest one from which it was made is not.
func TestForgedLedgersAreRefused(t *testing.T) {
	each := dp.Spec{What: "means", Streams: 2, Dim: 1, Hi: 1, Leaves: 8, RecordsPerUser: 1, Mechanism: dp.EachLaplace, Epsilon: dp.Nano / 2}
	small := each // so that the least noise is enough
	small.Mechanism, small.Hi, small.Delta = dp.EachGaussian, 1./(1<<13), 1e-6
	for _, c := range []struct {
		name  string
		write func(f *forgery, forged bool)
		says  string
	}{
		{"parallel budgets: two groups of parallel streams, each for all of the budget", func(f *forgery, forged bool) {
			first := each
			if forged {
				first.Epsilon = dp.Nano
			}
			a, b := f.open(first, nil), f.open(each, nil)
			f.release(&a, 0, 1)
			f.release(&b, 2, 1)
		}, "more is charged than the budget holds"},
		{"a deviation too small for the lattice, at a fair price", func(f *forgery, forged bool) {
			c := f.open(small, func(c *dp.Charge) {
				if forged {
					c.Scale /= 2
					c.Loss.Square *= 5
				}
			})
			f.release(&c, 0, 1)
		}, "want 1024"},
		{"a gap that gives nothing up", func(f *forgery, forged bool) {
			c := f.open(each, nil)
			f.release(&c, 0, 1)
			next := []uint64{4, 3}
			if forged {
				next = []uint64{2, 1}
			}
			f.bodies = append(f.bodies, &ledger.Gap{Claimed: 6, Had: 3, Incarnation: 1, Margin: 1, Next: next})
			f.release(&c, 0, next[0])
		}, "the gap does not fit what is before it"},
		{"streams renumbered: a second group under the numbers of the first", func(f *forgery, forged bool) {
			a := f.open(each, nil)
			f.release(&a, 0, 1)
			b := f.open(each, func(c *dp.Charge) {
				if forged {
					c.Stream = 0
				}
			})
			f.release(&b, b.Stream, 1)
		}, "the charge is wrong"},
		{"the build tags of a program with faults", func(f *forgery, forged bool) {
			if f.tags = "netgo"; forged {
				f.tags = "netgo,failpoint"
			}
			c := f.open(each, nil)
			f.release(&c, 1, 1)
		}, "the build tag failpoint"},
	} {
		for _, forged := range []bool{false, true} {
			f := &forgery{t: t, budget: account.Budget{Epsilon: dp.Nano, Delta: 1e12}}
			c.write(f, forged)
			got, says := f.verify()
			if !forged && got != exitOK || forged && (got != exitPrivacy || !strings.Contains(says, c.says)) {
				t.Errorf("%s, forged %v: code %d: %s", c.name, forged, got, says)
			}
		}
	}
}
