package decision

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The greatest lengths, in bytes.
const (
	MaxID      = 128
	MaxSubject = 256
	MaxAction  = 1024
)

// LeastPropensity is the least that an application may state of what it took: with less, one decision would outweigh all others.
const LeastPropensity = 1e-9

// Check returns nil if the texts of an ask are well formed, and otherwise a refusal that names the
// field. [Shape.Check] checks the rest.
func (a *Ask) Check() *Refusal {
	if a.ID != "" {
		if wrong := WrongID(a.ID); wrong != "" {
			return invalid("id", wrong)
		}
	}
	if a.Subject != "" {
		if wrong := WrongSubject(a.Subject); wrong != "" {
			return invalid("subject", wrong)
		}
	}
	for i, name := range a.Exclude {
		if wrong := WrongAction(name); wrong != "" {
			return invalid(fmt.Sprintf("exclude[%d]", i), wrong)
		}
	}
	for i, name := range a.Named {
		if wrong := WrongAction(name); wrong != "" {
			return invalid(fmt.Sprintf("actions[%d]", i), wrong)
		}
	}
	if t := a.Taken; t != nil {
		if wrong := WrongAction(t.Action); wrong != "" {
			return invalid("taken.action", wrong)
		}
		if wrong := WrongPropensity(t.Propensity); wrong != "" {
			return invalid("taken.propensity", wrong)
		}
	}
	if a.Table != "" {
		if wrong := WrongID(a.Table); wrong != "" {
			return invalid("table", wrong)
		}
	}
	for i, x := range a.Actions {
		if wrong := WrongAction(x.ID); wrong != "" {
			return invalid(fmt.Sprintf("actions[%d].id", i), wrong)
		}
	}
	return nil
}

// Check returns nil if a report is well formed, and otherwise a refusal that names the field. The site, which knows the range,
// checks the value.
func (r *Report) Check() *Refusal {
	if wrong := WrongID(r.ID); wrong != "" {
		return invalid("id", wrong)
	}
	if r.Part != "" {
		if wrong := WrongID(r.Part); wrong != "" {
			return invalid("report", wrong)
		}
	}
	if r.Empty && !r.End {
		return invalid("value", "is missing; want one, unless end is true")
	}
	return nil
}

// WrongID returns what is wanted in place of the id of a decision, or "" if it is well formed.
func WrongID(id string) string {
	if len(id) == 0 || len(id) > MaxID || strings.ContainsFunc(id, notOfID) {
		return "want 1 to 128 characters out of A-Z a-z 0-9 . _ : -"
	}
	return ""
}

func notOfID(c rune) bool {
	switch {
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		return false
	}
	return c != '.' && c != '_' && c != ':' && c != '-'
}

// WrongAction returns what is wanted in place of the name of an action, or "" if it is well formed.
func WrongAction(name string) string {
	if strings.TrimSpace(name) == "" || len(name) > MaxAction || strings.ContainsRune(name, utf8.RuneError) {
		return "want the name of an action"
	}
	return ""
}

// WrongPropensity returns what is wanted in place of the propensity of what was taken, or "" if it is one.
func WrongPropensity(p float64) string {
	if !(p >= LeastPropensity && p <= 1) {
		return "want a number from 0.000000001 to 1"
	}
	return ""
}

// WrongSubject returns what is wanted in place of a subject, or "" if it is well formed.
func WrongSubject(name string) string {
	if len(name) == 0 || len(name) > MaxSubject || strings.ContainsFunc(name, unprintable) {
		return "want 1 to 256 bytes of printable text"
	}
	return ""
}

func unprintable(c rune) bool { return c == utf8.RuneError || !unicode.IsPrint(c) }
