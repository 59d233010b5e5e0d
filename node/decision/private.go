package decision

import "fmt"

// Format implements [fmt.Formatter]: the features of an Ask are private, so they are not printed.
func (a Ask) Format(f fmt.State, _ rune) {
	features := ""
	if a.Features != nil || a.Actions != nil || a.Context != nil {
		features = " private"
	}
	_, _ = fmt.Fprintf(f, "{%s %v %s%s}", a.ID, a.Exclude, a.Subject, features)
}

// Format implements [fmt.Formatter]: what a report brings is private, and so is which one it is.
func (r Report) Format(f fmt.State, _ rune) { _, _ = fmt.Fprintf(f, "{%s private}", r.ID) }

// Format implements [fmt.Formatter]: what an application took is private.
func (Taken) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("private")) }

// Format implements [fmt.Formatter] as [Ask] does.
func (a Action) Format(f fmt.State, _ rune) { _, _ = fmt.Fprintf(f, "{%s private}", a.ID) }
