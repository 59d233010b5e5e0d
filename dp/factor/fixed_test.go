package factor

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

func exact(f Fixed) *big.Int {
	hi, lo := f.Words()
	x := new(big.Int).Lsh(big.NewInt(hi), 64)
	return x.Add(x, new(big.Int).SetUint64(lo))
}

// TestFixedIsExact compares with integers of any size.
func TestFixedIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		anyFixed := rapid.Custom(func(t *rapid.T) Fixed {
			return FixedOf(rapid.Int64Range(-1<<61, 1<<61).Draw(t, "hi"), rapid.Uint64().Draw(t, "lo"))
		})
		a, b := anyFixed.Draw(t, "a"), anyFixed.Draw(t, "b")
		x, w := rapid.Int64().Draw(t, "x"), rapid.Uint64().Draw(t, "w")
		times := new(big.Int).SetUint64(w)
		half := new(big.Int).Lsh(big.NewInt(1), 63)
		for what, c := range map[string]struct{ got, want *big.Int }{
			"whole":     {exact(Whole(x)), new(big.Int).Lsh(big.NewInt(x), 64)},
			"share":     {exact(Share(x, w)), new(big.Int).Mul(big.NewInt(x), times)},
			"sum":       {exact(a.Plus(b)), new(big.Int).Add(exact(a), exact(b))},
			"remainder": {exact(a.Minus(b)), new(big.Int).Sub(exact(a), exact(b))},
			"product":   {exact(a.Times(w)), new(big.Int).Rsh(new(big.Int).Mul(exact(a), times), 64)},
			"rounded":   {big.NewInt(a.Round()), new(big.Int).Rsh(half.Add(half, exact(a)), 64)},
		} {
			if c.got.Cmp(c.want) != 0 {
				t.Errorf("%s of %v, %v, %d, %d: %v, want %v", what, a, b, x, w, c.got, c.want)
			}
		}
	})
}
