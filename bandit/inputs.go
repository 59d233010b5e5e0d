package bandit

import "math"

// A FeatureMap names how a learner's features of an action are made from a context c, which all
// actions of a decision share, and from the action's own numbers x.
type FeatureMap string

// The maps. If c and x have norms of at most 1, so do the features.
const (
	Concat       FeatureMap = "concat"       // (c, x)/√2: the context adds the same for every action
	Outer        FeatureMap = "outer"        // c ⊗ x, all products of one number of each
	Interactions FeatureMap = "interactions" // (x, c ⊗ x)/√2
)

// MaxFeatures is the greatest number of features.
const MaxFeatures = 120

// Inputs describe what an application sends for a decision.
type Inputs struct {
	Action  int        // numbers of an action
	Context int        // numbers of the context; 0 if there is none, and features are the action's numbers
	Map     FeatureMap // not used without a context
}

// Dim returns how many features the map makes.
func (i Inputs) Dim() int {
	switch {
	case i.Context == 0:
		return i.Action
	case i.Map == Concat:
		return i.Context + i.Action
	case i.Map == Outer:
		return i.Context * i.Action
	default:
		return (1 + i.Context) * i.Action
	}
}

// Features returns the features of an action with numbers x in a context. Without a context these
// are x itself.
func (i Inputs) Features(context, x []float64) Features {
	if i.Context == 0 {
		return x
	}
	all := make(Features, 0, i.Dim())
	by := math.Sqrt(.5)
	switch i.Map {
	case Concat:
		return appendScaled(appendScaled(all, by, context), by, x)
	case Outer:
		by = 1
	default:
		all = appendScaled(all, by, x)
	}
	for _, c := range context {
		all = appendScaled(all, by*c, x)
	}
	return all
}

func appendScaled(all Features, by float64, x []float64) Features {
	for _, v := range x {
		all = append(all, by*v)
	}
	return all
}
