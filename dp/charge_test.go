package dp

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"peerd.dev/dp/account"
	"peerd.dev/internal/require"
	"peerd.dev/internal/vouch"
)

func anySpec() *rapid.Generator[Spec] {
	return rapid.Custom(func(t *rapid.T) Spec {
		lo := rapid.Float64Range(-256, 255).Draw(t, "lo")
		return Spec{
			What:    rapid.StringN(0, 20, -1).Draw(t, "what"),
			Streams: rapid.IntRange(1, 4).Draw(t, "streams"),
			Dim:     rapid.IntRange(1, 3).Draw(t, "dim"),
			Lo:      lo, Hi: rapid.Float64Range(lo+.001, 256).Draw(t, "hi"),
			Leaves:         rapid.Uint64Range(1, 1<<10).Draw(t, "leaves"),
			RecordsPerUser: rapid.Uint64Range(1, 5).Draw(t, "records"),
			Mechanism:      rapid.SampledFrom([]Mechanism{Tree, None}).Draw(t, "mechanism"),
			Epsilon:        Cost(rapid.Uint64Range(Nano, 100*Nano).Draw(t, "epsilon")),
		}
	})
}

// TestAChargeProvesItsNoise: what a curator charged passes Check, and does not with any number of
// the account changed.
func TestAChargeProvesItsNoise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, err := NewCurator(Lockstep, vouch.For(account.Unlimited), seeded(1))
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			require.Value(d.Open(anySpec().Draw(t, "spec")))(t)
		}
		for _, c := range d.TakeCharges() {
			if err = c.Check(); err != nil {
				t.Fatalf("%+v: %v", c, err)
			}
			c.Scale++
			if c.Check() == nil {
				t.Fatalf("%+v passes", c)
			}
		}
	})
}

func TestAForgedChargeIsRefused(t *testing.T) {
	good, err := spec(8, Tree).charge(0)
	if err != nil || good.Check() != nil {
		t.Fatalf("%v, %v", err, good.Check())
	}
	for name, change := range map[string]func(*Charge){
		"less noise":    func(c *Charge) { c.Scale-- },
		"no noise":      func(c *Charge) { c.Scale = 0 },
		"cheaper":       func(c *Charge) { c.Loss.Pure-- },
		"free":          func(c *Charge) { c.Loss.Pure = 0 },
		"infinite":      func(c *Charge) { c.Loss.Pure = Infinite },
		"none, finite":  func(c *Charge) { c.Mechanism, c.Scale = None, 0 },
		"none, noisy":   func(c *Charge) { c.Mechanism, c.Loss.Pure = None, Infinite },
		"more leaves":   func(c *Charge) { c.Leaves = 16 },
		"no leaves":     func(c *Charge) { c.Leaves = 0 },
		"many leaves":   func(c *Charge) { c.Leaves = 1 << 63 },
		"more records":  func(c *Charge) { c.RecordsPerUser++ },
		"no records":    func(c *Charge) { c.RecordsPerUser = 0 },
		"many records":  func(c *Charge) { c.RecordsPerUser = 1 << 63 },
		"wider":         func(c *Charge) { c.Hi++ },
		"turned":        func(c *Charge) { c.Lo, c.Hi = c.Hi, c.Lo },
		"point":         func(c *Charge) { c.Lo = c.Hi },
		"far":           func(c *Charge) { c.Lo = -1 << 63 },
		"dim":           func(c *Charge) { c.Dim = 2 },
		"dim 0":         func(c *Charge) { c.Dim = 0 },
		"dim large":     func(c *Charge) { c.Dim = MaxLen + 1 },
		"streams":       func(c *Charge) { c.Streams = 0 },
		"many streams":  func(c *Charge) { c.Streams = MaxLen + 1 },
		"past the last": func(c *Charge) { c.Stream = 1<<32 - 1; c.Streams = 2 },
		"mechanism":     func(c *Charge) { c.Mechanism = 99 },
		"mode":          func(c *Charge) { c.Mode = 9 },
		"parallel":      func(c *Charge) { c.Mode = Parallel },
		"reserved":      func(c *Charge) { c.Mode = 2 },
	} {
		c := good
		change(&c)
		if c.Check() == nil {
			t.Errorf("%s: %+v passes", name, c)
		}
	}
}

// TestAChargeCoversWhatItsStreamsRelease: and nothing else.
func TestAChargeCoversWhatItsStreamsRelease(t *testing.T) {
	for _, m := range []Mechanism{Tree, None} {
		s := spec(100, m)
		s.Streams, s.Dim = 2, 3
		d := open(t, spec(5, m), seeded(1)) // stream 0 belongs to another charge
		d.budget = account.Unlimited
		require.Value(d.Open(s))(t)
		other, c := d.TakeCharges()[0], d.charged[1]
		for id := StreamID(1); id <= 2; id++ {
			for k := uint64(1); k <= 100; k++ {
				l := require.Value(d.Leaf(id, k))(t)
				if err := c.Covers(l.Node.Fields()); err != nil {
					t.Fatalf("%v: node of leaf %d: %v", m, k, err)
				}
				if k&(k-1) != 0 && c.Covers(l.Sum.Fields()) == nil {
					t.Fatalf("%v: the running sum of leaf %d is taken for a node", m, k)
				}
				if other.Covers(l.Node.Fields()) == nil {
					t.Fatalf("%v: two charges cover stream %d", m, id)
				}
			}
		}
		l := d.TakeDrawn()[11] // leaf 12
		for name, change := range map[string]func(*Release){
			"stream":   func(r *Release) { r.stream = 0 },
			"past":     func(r *Release) { r.stream = 3 },
			"horizon":  func(r *Release) { r.span = Span{From: 100, To: 101} },
			"leaf 0":   func(r *Release) { r.span = Span{} },
			"no node":  func(r *Release) { r.span = Span{From: 4, To: 12} },
			"part":     func(r *Release) { r.span = Span{From: 11, To: 12} },
			"right":    func(r *Release) { r.span = Span{From: 10, To: 12} },
			"dim":      func(r *Release) { r.v = r.v[:2] },
			"counts":   func(r *Release) { r.count = []uint64{1, 2} },
			"count":    func(r *Release) { r.count = nil },
			"exponent": func(r *Release) { r.e-- },
			"scale":    func(r *Release) { r.noise.Scale++ },
			"terms":    func(r *Release) { r.noise.VarianceUnits++ },
		} {
			r := l
			change(&r)
			if err := c.Covers(r.Fields()); !errors.Is(err, ErrUnpaid) && !errors.Is(err, ErrNoise) {
				t.Errorf("%v, %s: %v, want %v", m, name, err, ErrUnpaid)
			}
		}
	}
}

// TestBoundsOffTheGridChangeNoRecord: clipping to them and clipping to the charge's bounds give
// the same.
func TestBoundsOffTheGridChangeNoRecord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		near := rapid.Float64Range(-8, 8) // grid units
		lo, hi, x := near.Draw(t, "lo")/(1<<20), near.Draw(t, "hi")/(1<<20), near.Draw(t, "x")/(1<<20)
		if lo > hi {
			lo, hi = hi, lo
		}
		s := spec(1, Tree)
		s.Lo, s.Hi = lo, hi
		c, err := s.charge(0)
		if c.Lo == c.Hi {
			if err == nil {
				t.Fatal("records that cannot differ were charged")
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		want, _ := Quantize(x, lo, hi)
		tree := c.streams(new(arena))()
		if err := tree.add([]float64{x}); err != nil || tree.leaf[0] != want {
			t.Fatalf("%v in %v to %v is %d, %v, want %d", x, lo, hi, tree.leaf[0], err, want)
		}
	})
}
