package decision

import (
	"fmt"
	"math"
)

// A Shape says what [Ask.Features] must look like: one list of numbers for each action
// of the network, in the network's order, including excluded actions.
type Shape struct {
	Actions int  // of the network
	Length  int  // numbers for each action; 0 if the learner takes no features
	Bounded bool // no list is longer than 1, as the root of its sum of squares
}

// longest is the greatest sum of squares, with room for what rounding adds to a length of 1.
const longest = 1 + 1e-9

// String returns the shape in words, such as "want 3 lists of 5 numbers, one list for each action, in the network's order".
func (s Shape) String() string {
	if s.Length == 0 {
		return "this peer's learner takes no features; leave the field out"
	}
	return fmt.Sprintf("want %d lists of %d numbers, one list for each action, in the network's order", s.Actions, s.Length)
}

// Check returns nil if features have the shape and are finite numbers, and otherwise a
// refusal that names the field and what is wanted, never a number of the features.
func (s Shape) Check(features [][]float64) *Refusal {
	if s.Length == 0 && len(features) == 0 {
		return nil
	}
	if s.Length == 0 || len(features) != s.Actions {
		return &Refusal{Code: Invalid, Field: "features", Reason: s.String()}
	}
	for i, list := range features {
		if len(list) != s.Length {
			return &Refusal{Code: Invalid, Field: fmt.Sprintf("features[%d]", i), Reason: fmt.Sprintf("want %d numbers", s.Length)}
		}
		sum := 0.
		for k, x := range list {
			sum += x * x
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return &Refusal{Code: Invalid, Field: fmt.Sprintf("features[%d][%d]", i, k), Reason: "want a finite number"}
			}
		}
		if s.Bounded && !(sum <= longest) {
			return &Refusal{Code: Invalid, Field: fmt.Sprintf("features[%d]", i), Reason: "want a sum of squares of at most 1; divide all features by the greatest length that there can be"}
		}
	}
	return nil
}
