package ledger

import (
	"fmt"
	"strings"

	"peerd.dev/dp"
)

// exact writes a cost as the decimal number that it is.
func exact(c dp.Cost) string {
	if c == dp.Infinite {
		return "inf"
	}
	s := fmt.Sprintf("%d.%09d", c/dp.Nano, c%dp.Nano)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}
