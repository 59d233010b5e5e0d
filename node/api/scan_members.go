package api

// members reads an object with at most maxItems fields of any names, each by a call of read.
func (s *scanner) members(read func(name string)) {
	if !s.enter('{') {
		s.other("want an object")
		return
	}
	seen := make(map[string]bool)
	for i := 0; s.next(i == 0, '}'); i++ {
		key := s.name()
		if s.err != nil {
			return
		}
		if s.enough(i, "fields") {
			s.skip()
			continue
		}
		s.within(key, func() {
			if seen[key] {
				s.other("is given twice")
				return
			}
			seen[key] = true
			read(key)
		})
	}
}

// truth reads true or false.
func (s *scanner) truth() bool {
	switch c := s.peek(); {
	case c == 't' && s.word("true"):
		return true
	case c == 'f' && s.word("false"):
	default:
		s.other("want true or false")
	}
	return false
}

// orNull reads a value, or null instead.
func (s *scanner) orNull(read func()) {
	if s.peek() != 'n' || !s.word("null") {
		read()
	}
}
