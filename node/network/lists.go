package network

import (
	"encoding/json"
	"slices"
)

// placed is a Promise or a Vote.
type placed interface{ Promise | Vote }

func placeOf[T placed](x *T) int {
	switch x := any(x).(type) {
	case *Promise:
		return x.Place
	case *Vote:
		return x.Place
	}
	return -1
}

// find returns the element of a place, or nil.
func find[T placed](all []T, place int) *T {
	for i := range all {
		if placeOf(&all[i]) == place {
			return &all[i]
		}
	}
	return nil
}

// put returns all with x instead of the element with the same place.
func put[T placed](all []T, x T) []T {
	all = slices.DeleteFunc(slices.Clone(all), func(old T) bool { return placeOf(&old) == placeOf(&x) })
	all = append(all, x)
	slices.SortFunc(all, func(a, b T) int { return placeOf(&a) - placeOf(&b) })
	return all
}

// text returns a change as text; equal changes have equal texts.
func text(c *Change) string {
	b, err := json.Marshal(c)
	if err != nil {
		panic("network: " + err.Error()) // texts can always be encoded
	}
	return string(b)
}

func equal(a, b *State) bool { return string(encode(a)) == string(encode(b)) }

func equalRecords(a, b *Record) bool { return string(encode(a)) == string(encode(b)) }

func encode(x any) []byte {
	b, err := json.Marshal(x)
	if err != nil {
		panic("network: " + err.Error()) // a document that was checked can be encoded
	}
	return b
}
