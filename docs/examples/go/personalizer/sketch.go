package main

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// named returns the features in objects of strings, numbers, truth values, lists of numbers, and objects of these. Like
// that service, it skips names that begin with _. The order of names does not matter.
func named(objects []map[string]any) (all []feature, err error) {
	for _, o := range objects {
		if all, err = within(all, names(), o); err != nil {
			return nil, err
		}
	}
	if len(all) > 1000 {
		return nil, fmt.Errorf("%d features, want at most 1000", len(all))
	}
	return all, nil
}

func within(all []feature, in name, object map[string]any) (_ []feature, err error) {
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if strings.HasPrefix(key, "_") {
			continue
		}
		at := in.under(key)
		switch x := object[key].(type) {
		case map[string]any:
			if all, err = within(all, at, x); err != nil {
				return nil, err
			}
		case string:
			all = append(all, at.text(x))
		case bool:
			all = append(all, at.truth(x))
		case float64:
			all = append(all, at.number(x))
		case []any:
			for i, element := range x {
				number, ok := element.(float64)
				if !ok {
					return nil, fmt.Errorf("%s: want a list of numbers", key)
				}
				all = append(all, at.place(i).number(number))
			}
		default:
			return nil, fmt.Errorf("%s: want a string, a number, true, false, a list of numbers, or an object of these", key)
		}
	}
	return all, nil
}

// A feature has a name instead of an index: its index in a vector of any length
// is derived from a hash of the name. Features and [sketch] are feature hashing with signs
// (Weinberger, Dasgupta, Langford, Smola and Attenberg 2009): inner products are right on average
// over hashes, and features with the same index disturb each other. All peers of a network learn
// one parameter, so the hash never changes.
type feature struct {
	name  name
	value float64 // from -1 to 1
}

// A name is the hash of a feature's path, such as namespace/name.
type name uint64

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

// names returns the name that is the root of all names of an object's features.
func names() name { return fnvOffset }

// under returns the name of a feature in the namespace of another.
func (n name) under(name string) name { return n.with(partName, name) }

func (n name) with(kind byte, part string) name {
	h := (uint64(n) ^ uint64(kind)) * fnvPrime
	for i := range len(part) {
		h = (h ^ uint64(part[i])) * fnvPrime
	}
	return name((h ^ 0xff) * fnvPrime) // 0xff is in no UTF-8 text, so it ends a part
}

// text returns the feature of a text: every text is a feature of its own, with value 1.
func (n name) text(value string) feature { return feature{n.with(partText, value), 1} }

// truth returns the feature of a truth value: each of the two is a feature of its own, with value
// 1.
func (n name) truth(value bool) feature {
	return feature{n.with(partBool, strconv.FormatBool(value)), 1}
}

// number returns the feature of a number x, with value x/(1+|x|), which is between -1 and 1.
func (n name) number(x float64) feature {
	if math.Abs(x) > 1 { // 1+|x| could overflow
		return feature{n, math.Copysign(1/(1+1/math.Abs(x)), x)}
	}
	return feature{n, x / (1 + math.Abs(x))}
}

// place returns the name of an element of a list.
func (n name) place(i int) name { return n.with(partPlace, strconv.Itoa(i)) }

// identity returns the only feature of an action without features: its id.
func identity(id string) []feature { return []feature{{names().with(partAction, id), 1}} }

// crossed returns features and their products with a context's features, which a linear learner
// needs to choose different actions in different contexts. The context's features alone are
// omitted, since they are the same for all actions.
func crossed(named, context []feature) []feature {
	all := append(make([]feature, 0, len(named)*(1+len(context))), named...)
	for _, t := range named {
		for _, c := range context {
			all = append(all, feature{mix(t.name, c.name), t.value * c.value})
		}
	}
	return all
}

// mix returns the name of the product of two.
func mix(a, b name) name { return name((uint64(a) ^ finish(uint64(b))) * fnvPrime) }

// finish spreads the differences of two names over all bits; it is the last step of MurmurHash3
// (Appleby 2011).
func finish(h uint64) uint64 {
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// sketch writes n features into a vector of d numbers: each adds its value, or subtracts it, at
// the index of its name, and the sum is divided by √n. Without collisions the sum of squares is
// then at most 1; if collisions raise it above 1, the vector is scaled to length 1. No features
// give zeros.
func sketch(named []feature, d int) []float64 {
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
