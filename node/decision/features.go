package decision

import (
	"fmt"
	"math"
)

// A Shape says what [Ask.Features] must look like: one list of numbers for each action
// of the network, in the network's order, including excluded actions.
type Shape struct {
	Actions int // of the network
	Length  int // numbers for each action; 0 if the learner takes no features
}

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
		for k, x := range list {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return &Refusal{Code: Invalid, Field: fmt.Sprintf("features[%d][%d]", i, k), Reason: "want a finite number"}
			}
		}
	}
	return nil
}
