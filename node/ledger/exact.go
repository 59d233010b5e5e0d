package ledger

import (
	"fmt"
	"strings"

	"peerd.dev/dp"
	"peerd.dev/dp/account"
)

// exact writes a cost as an exact decimal number.
func exact(c dp.Cost) string {
	if c == dp.Infinite {
		return "inf"
	}
	s := fmt.Sprintf("%d.%09d", c/dp.Nano, c%dp.Nano)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// lossText writes a loss as exact numbers.
func lossText(l account.Loss) string {
	switch {
	case l.Square == 0:
		return "ε " + exact(l.Pure)
	case l.Pure == 0:
		return "μ² " + exact(dp.Cost(l.Square))
	}
	return "ε " + exact(l.Pure) + " and μ² " + exact(dp.Cost(l.Square))
}

// budgetText writes a budget.
func budgetText(b account.Budget) string {
	if b.Delta == 0 {
		return "ε " + exact(b.Epsilon)
	}
	return fmt.Sprintf("ε %s with δ %v", exact(b.Epsilon), b.Delta)
}
