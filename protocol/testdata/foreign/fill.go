// A value of a type that cannot be named, made by inference and filled in.
package foreign

import (
	"peerd.dev/dp"
)

func zero[T, R any](func(T) (R, error)) (t T) { return t }

func receive(seen []int64) (dp.Release, error) {
	x := zero(dp.Received)
	x.of = dp.Fields{Value: seen}
	return dp.Received(x)
}

// x.of undefined (cannot refer to unexported field of)
