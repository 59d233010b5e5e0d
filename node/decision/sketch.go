package decision

import (
	"math"
	"strconv"
)

// A Named is a feature that has a name instead of an index: its index in a vector of any length
// is derived from a hash of the name. Named features and [Sketch] are feature hashing with signs
// (Weinberger, Dasgupta, Langford, Smola and Attenberg 2009): inner products are right on average
// over hashes, and features with the same index disturb each other. All peers of a network learn
// one parameter, so the hash never changes.
type Named struct {
	name  Name
	value float64 // from -1 to 1
}

// A Name is the hash of a feature's path, such as namespace/name.
type Name uint64

// The offset and the prime of FNV-1a with 64 bits.
const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

// The kinds of the parts of a path. The kind is hashed with the part, so that a name and a value
// with the same text differ.
const (
	partName = iota
	partText
	partBool
	partPlace
	partAction
)

// Names returns the name that is the root of all names of an object's features.
func Names() Name { return fnvOffset }

// Under returns the name of a feature in the namespace of another.
func (n Name) Under(name string) Name { return n.with(partName, name) }

func (n Name) with(kind byte, part string) Name {
	h := (uint64(n) ^ uint64(kind)) * fnvPrime
	for i := range len(part) {
		h = (h ^ uint64(part[i])) * fnvPrime
	}
	return Name((h ^ 0xff) * fnvPrime) // 0xff is in no UTF-8 text, so it ends a part
}

// Text returns the feature of a text: every text is a feature of its own, with value 1.
func (n Name) Text(value string) Named { return Named{n.with(partText, value), 1} }

// Bool returns the feature of a truth value: each of the two is a feature of its own, with value
// 1.
func (n Name) Bool(value bool) Named { return Named{n.with(partBool, strconv.FormatBool(value)), 1} }

// Number returns the feature of a number x, with value x/(1+|x|), which is between -1 and 1.
func (n Name) Number(x float64) Named {
	if math.Abs(x) > 1 { // 1+|x| could overflow
		return Named{n, math.Copysign(1/(1+1/math.Abs(x)), x)}
	}
	return Named{n, x / (1 + math.Abs(x))}
}

// Place returns the name of an element of a list.
func (n Name) Place(i int) Name { return n.with(partPlace, strconv.Itoa(i)) }

// Identity returns the only feature of an action without features: its id.
func Identity(id string) []Named { return []Named{{Names().with(partAction, id), 1}} }

// Crossed returns features and their products with a context's features, which a linear learner
// needs to choose different actions in different contexts. The context's features alone are
// omitted, since they are the same for all actions.
func Crossed(named, context []Named) []Named {
	all := append(make([]Named, 0, len(named)*(1+len(context))), named...)
	for _, t := range named {
		for _, c := range context {
			all = append(all, Named{mix(t.name, c.name), t.value * c.value})
		}
	}
	return all
}

// mix returns the name of the product of two.
func mix(a, b Name) Name { return Name((uint64(a) ^ finish(uint64(b))) * fnvPrime) }

// finish spreads the differences of two names over all bits; it is the last step of MurmurHash3
// (Appleby 2011).
func finish(h uint64) uint64 {
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// Sketch writes n features into a vector of d numbers: each adds its value, or subtracts it, at
// the index of its name, and the sum is divided by √n. Without collisions the sum of squares is
// then at most 1; if collisions raise it above 1, the vector is scaled to length 1. No features
// give zeros.
func Sketch(named []Named, d int) []float64 {
	v := make([]float64, d)
	for _, t := range named {
		h := finish(uint64(t.name))
		x := t.value
		if h>>63 == 1 {
			x = -x
		}
		v[(h&math.MaxUint32)%uint64(d)] += x
	}
	squares := 0.
	for _, x := range v {
		squares += x * x
	}
	by := math.Sqrt(max(float64(len(named)), squares))
	if by == 0 {
		return v
	}
	for i := range v {
		v[i] /= by
	}
	return v
}
