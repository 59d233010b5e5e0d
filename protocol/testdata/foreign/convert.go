// A value of a type that cannot be named, converted from a type that has the same fields.
package foreign

import (
	"peerd.dev/dp"
)

type own struct{ of []byte }

func as[T ~struct{ of []byte }, R any](_ func(T) (R, error), x own) T { return T(x) }

func seal(reward []byte) (dp.Sealed, error) {
	return dp.ReceivedSealed(as(dp.ReceivedSealed, own{reward}))
}

// does not satisfy ~struct{of []byte}
