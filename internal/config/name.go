package config

import (
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// nameTrouble returns why people cannot distinguish a name of a peer or an action from others on a screen, as the end
// of a sentence; "" if they can.
func nameTrouble(name string) string {
	switch {
	case blank(name):
		return "is blank"
	case strings.TrimSpace(name) != name:
		return "has a blank at an end"
	}
	for _, r := range name {
		if unicode.In(r, unicode.Cc, unicode.Cf) {
			return fmt.Sprintf("has the control or format character %U", r)
		}
	}
	return ""
}

// sameName reports whether two names are one to readers: an accented letter has two forms in Unicode.
func sameName(a, b string) bool { return norm.NFC.String(a) == norm.NFC.String(b) }

// namesTrouble returns what is wrong with a list of names; "" for nothing.
func namesTrouble(list []string) string {
	places := make(map[string]int) // by the composed form
	for i, name := range list {
		if why := nameTrouble(name); why != "" {
			return fmt.Sprintf("item %d %s", i, why)
		}
		form := norm.NFC.String(name)
		if before, ok := places[form]; ok {
			return fmt.Sprintf("items %d and %d are the same name, %s", before, i, form)
		}
		places[form] = i
	}
	return ""
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }
