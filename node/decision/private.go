package decision

import "fmt"

// Format implements [fmt.Formatter]: the features of an Ask are private, so it prints
// without them.
func (a Ask) Format(f fmt.State, _ rune) {
	features := ""
	if a.Features != nil {
		features = " private"
	}
	_, _ = fmt.Fprintf(f, "{%s %v %s%s}", a.ID, a.Exclude, a.Subject, features)
}
