// Package require ends a test in which a step that it needs has failed, at the line of the step.
package require

// A TB is a test, a benchmark or a property.
type TB interface {
	Helper()
	Fatal(...any)
}

// Value returns what a call returned, unless the call failed: require.Value(f())(t).
func Value[T any](x T, err error) func(TB) T {
	return func(t TB) T {
		t.Helper()
		NoError(t, err)
		return x
	}
}

// NoError ends the test if there is an error.
func NoError(t TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
