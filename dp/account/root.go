package account

// least returns the least number for which good holds, if good holds from some number on. It
// tests the number that it returns, which is therefore good despite rounding. It finds a good
// number by doubling start; ok is false if that exceeds most.
func least(start, most float64, good func(float64) bool) (x float64, ok bool) {
	bad := 0.0
	for x = start; !good(x); x *= 2 {
		if bad = x; x > most {
			return 0, false
		}
	}
	return halve(x, bad, good), true
}

// greatest is least for a good that holds up to some number.
func greatest(start, fewest, most float64, good func(float64) bool) (x float64, ok bool) {
	if good(start) {
		for x = start; good(2 * x); x *= 2 {
			if 2*x > most {
				return x, true
			}
		}
		return halve(x, 2*x, good), true
	}
	for x = start / 2; !good(x); x /= 2 {
		if x < fewest {
			return 0, false
		}
	}
	return halve(x, 2*x, good), true
}

// halve moves yes, which is good, towards no, which is not, until there is no float between them,
// or only very small ones.
func halve(yes, no float64, good func(float64) bool) float64 {
	for range 200 {
		mid := yes + (no-yes)/2
		if mid == yes || mid == no {
			break
		}
		if good(mid) {
			yes = mid
		} else {
			no = mid
		}
	}
	return yes
}
