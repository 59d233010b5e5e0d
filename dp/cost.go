package dp

import (
	"fmt"

	"peerd.dev/dp/account"
)

// Cost is a pure privacy loss in nano-ε.
type Cost = account.Cost

// Infinite is the cost of a release without noise. Only an infinite budget pays it, and only
// lockstep and the simulator may have one.
const Infinite = account.Infinite

// Nano is the number of Cost units in ε = 1.
const Nano = account.Nano

// A BudgetError reports a charge that exceeds what is left. Nothing was charged.
type BudgetError struct {
	What   string
	Asked  account.Loss
	Spent  account.Loss
	Budget account.Budget
}

// Error returns what was asked for and what is left.
func (e *BudgetError) Error() string {
	if e.Budget.Delta == 0 && e.Asked.Square == 0 {
		return fmt.Sprintf("dp: %s costs %v but only %v is left", e.What, e.Asked, e.Budget.Epsilon-e.Spent.Pure)
	}
	return fmt.Sprintf("dp: %s costs %v, and of %v a loss of %v is spent", e.What, e.Asked, e.Budget, e.Spent)
}
