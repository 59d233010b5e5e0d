package sample

// TiltSteps is how many steps of a tilt make up all of the noise's decay.
const TiltSteps = 16

// Tilted returns x with probability proportional to exp(-|x|/t + i·x/(16·t)), exactly,
// for |i| < 16 and a scale t from 1 to [MaxScale], of which a tilt takes MaxScale/16 at
// most. It is Laplace noise that leans to the side of i's sign.
//
// For i > 0, ⌊x/(16-i)⌋ of a Laplace x of scale 16·t has the weights of numbers from 0
// on; those below are kept with what is left of theirs. See docs/proofs/samplers.md.
func (s *Source) Tilted(i int64, t uint64) int64 {
	switch {
	case i == 0:
		return s.Laplace(t)
	case i < 0:
		return -s.Tilted(-i, t)
	}
	for {
		x := s.Laplace(TiltSteps * t)
		if x >= 0 {
			return x / (TiltSteps - i)
		}
		k := (-x - 1) / (TiltSteps - i)
		if s.Exp(uint64(TiltSteps-1+i+2*i*k), TiltSteps*t) {
			return -1 - k
		}
	}
}
