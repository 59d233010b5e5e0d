package dp

import "peerd.dev/dp/sample"

// adjust makes the noise after a step to level c greater by x where an earlier life
// drew it. All that was known of its nodes before stays true.
func (s *kary) adjust(i, c int, x int64) {
	if c > 0 { // of what a carry put ahead only the sum is known
		s.level[0].ahead[i] -= x
		return
	}
	l := &s.level[0]
	for l.head[i] += x; !l.added; l.head[i] += x { // a node was ahead: its head is as much greater
		l = &s.level[l.carry]
	}
	l.plus[i] += x
}

// open reports for every level whether its head is known only with others: with nodes
// ahead that the carry to this level put there, or with open heads that were such nodes.
func (s *kary) open() []bool {
	open := make([]bool, len(s.level))
	for j, l := range s.level {
		if l.d < 0 || open[j] && !l.added {
			open[l.carry] = true
		}
	}
	return open
}

// farHead is how many scales noise never has, but with probability exp(-100): what is
// further was written by somebody else, and could be redrawn for ever. Two heads as far as
// that take 40 ms, at 150 scales 20 s.
const farHead = 100

// redraw draws the noise of all nodes ahead, and of the open heads, by the law that they
// have given all that was drawn. Nodes ahead get noise by their own law, tilted. What is
// known then leaves one value for every open head, which is kept with its probability
// over that of 0, and over what the tilts gave it more than others.
func (s *kary) redraw(src *Source) {
	open := s.open()
	ahead, head := make([][]int64, len(s.level)), make([]int64, len(s.level))
	more := make([]int64, len(s.level)) // than before, of all that a level is head of
	steps, far := uint64(1), farHead*int64(s.noise.Scale)
	if s.noise.Scale <= sample.MaxScale/sample.TiltSteps {
		steps = sample.TiltSteps
	}
	for i := range s.width {
		tilt := s.tilts(i, open)
		for ok := false; !ok; {
			ok = true
			clear(more)
			for j := 0; ok && j < len(s.level); j++ {
				l := &s.level[j]
				head[j] = l.head[i] + more[j]
				if open[j] && head[j] <= far && head[j] >= -far {
					away := int64(steps)*max(head[j], -head[j]) + (tilt[j]-s.above(tilt, j))*head[j]
					ok = src.Exp(uint64(away), steps*s.noise.Scale)
				}
				if open[j] && !l.added {
					more[l.carry] += more[j]
				}
				ahead[j] = ahead[j][:0]
				for at := i; at < len(l.ahead); at += s.width {
					z := s.bug.noise(s.t, src.Tilted(tilt[l.carry], s.noise.Scale))
					ahead[j] = append(ahead[j], z)
					more[l.carry] += z - l.ahead[at]
				}
			}
		}
		for j := range s.level {
			l := &s.level[j]
			if open[j] && l.added {
				l.plus[i] += head[j] - l.head[i]
			}
			l.head[i] = head[j]
			for n, z := range ahead[j] {
				l.ahead[i+n*s.width] = z
			}
		}
	}
}
