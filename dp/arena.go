package dp

// slab hands out slices of one large array, since one Release per pull would otherwise cost an
// allocation each. It never reuses them: a slice keeps its content, and the whole array, for as
// long as anyone holds it.
type slab[T any] struct{ rest []T }

const slabSize = 128

// alloc returns n zero entries that no other call returns.
func (s *slab[T]) alloc(n int) []T {
	if n > slabSize/4 {
		return make([]T, n)
	}
	if n > len(s.rest) {
		s.rest = make([]T, slabSize)
	}
	out := s.rest[:n:n]
	s.rest = s.rest[n:]
	return out
}

// arena is where a curator's streams put what they release and hide.
type arena struct {
	hidden hiddenNoise
	values slab[int64]
	counts slab[uint64]
}
