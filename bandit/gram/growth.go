package gram

import "math"

// slack is the probability with which noise takes an eigenvalue below the value with which
// determinants are computed.
const slack = .01

// Growth returns ln det(V₊+ρI) - ln det(S₊+ρI) for the Gram matrices V and S of two sums over
// linear records of either [Kind], with noise of a variance in every number. Negative
// eigenvalues are raised to 0, and ρ is what noise can take off one, plus 1. linear is false
// for sums that are not of linear records, which have no determinant.
func Growth(v, s []float64, noise float64) (growth float64, linear bool) {
	d := int(math.Sqrt(float64(2*len(v)+2))) - 1 // d(d+3)/2 numbers, or with squares of rewards one more
	for _, kind := range []Kind{Linear, Corner} {
		after, err := Of(v, noise, kind, d)
		if err != nil {
			continue
		}
		before, err := Of(s, noise, kind, d)
		if err != nil {
			break
		}
		shift := 1 + after.Margin(slack)
		return after.LogDet(shift) - before.LogDet(shift), true
	}
	return 0, false
}
