package ledger

import (
	"fmt"
	"strings"

	"peerd.dev/dp"
	"peerd.dev/dp/account"
)

// Exact writes a cost as an exact decimal number.
func Exact(c dp.Cost) string {
	if c == dp.Infinite {
		return "inf"
	}
	s := fmt.Sprintf("%d.%09d", c/dp.Nano, c%dp.Nano)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// LossText writes a loss as exact numbers.
func LossText(l account.Loss) string {
	switch {
	case l.Square == 0:
		return "ε " + Exact(l.Pure)
	case l.Pure == 0:
		return "μ² " + Exact(dp.Cost(l.Square))
	}
	return "ε " + Exact(l.Pure) + " and μ² " + Exact(dp.Cost(l.Square))
}

// BudgetText writes a budget.
func BudgetText(b account.Budget) string {
	if b.Delta == 0 {
		return "ε " + Exact(b.Epsilon)
	}
	return fmt.Sprintf("ε %s with δ %v", Exact(b.Epsilon), b.Delta)
}
