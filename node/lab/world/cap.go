package world

import "math"

// Uncapped is the cap that drops nothing. A patient of the diabetes data then has up to 40
// encounters, and a claim about patients costs 40 times as much as a claim about encounters.
const Uncapped = math.MaxInt

// Cap keeps the first k ≥ 1 encounters of each patient in file order and returns how many it
// dropped. Whether an encounter stays depends on its own patient alone.
//
// What is not in r is not counted: for the private claim, Cap comes before Split, since a patient
// whose encounters are at several sites would otherwise have k at each. Single, if used, comes
// before both, since an encounter that cannot be played would otherwise count towards k.
func (r *Records) Cap(k int) (kept *Records, dropped int) {
	kept = new(Records)
	n := make(map[uint64]int)
	for _, e := range r.rows {
		if n[e.patient] < k {
			n[e.patient]++
			kept.rows = append(kept.rows, e)
		}
	}
	return kept, len(r.rows) - len(kept.rows)
}
