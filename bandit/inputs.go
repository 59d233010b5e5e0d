package bandit

import "math"

// A FeatureMap names how a learner's features of an action are made of a context c, which all actions of a
// decision share, and of numbers x of the action's own.
type FeatureMap string

// The maps. If c and x have norms of 1 at most, so do the features.
const (
	Concat       FeatureMap = "concat"       // (c, x)/√2: the context is worth the same for every action
	Outer        FeatureMap = "outer"        // c ⊗ x, all products of one number of each
	Interactions FeatureMap = "interactions" // (x, c ⊗ x)/√2
)

// Inputs say what an application sends of a decision.
type Inputs struct {
	Action  int        // numbers of an action
	Context int        // numbers of the context; 0 if there is none, and features are the action's numbers
	Map     FeatureMap // of no meaning without a context
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

// Features returns the features of an action with numbers x in a context, which without a context are x itself.
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
