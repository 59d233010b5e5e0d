package dp

// slab hands out slices of one large array, since a Release a pull would
// otherwise cost an allocation each. It never takes one back: what it handed out
// stays as it was filled for as long as anyone holds it, and holds the whole array.
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
