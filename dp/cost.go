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
	used, _ := e.Budget.Used(e.Asked) // infinite if no epsilon covers it at this delta
	return fmt.Sprintf("dp: the charge for %s is %v, which is epsilon %.6g with this delta; the budget is %v, of which %v is spent", e.What, e.Asked, used, e.Budget, e.Spent)
}
