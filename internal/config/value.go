package config

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// Epsilon is a budget; +Inf protects no one.
type Epsilon float64

// Infinite reports whether e protects no one.
func (e Epsilon) Infinite() bool { return math.IsInf(float64(e), 1) }

// ValueText writes a value as it stands in a file.
func ValueText(v any) string {
	switch v := v.(type) {
	case Epsilon:
		if v.Infinite() {
			return "inf"
		}
	case time.Duration:
		return DurationText(v)
	}
	var n yaml.Node
	if err := n.Encode(v); err != nil {
		return fmt.Sprint(v)
	}
	n.Style = yaml.FlowStyle
	if n.Kind == yaml.ScalarNode && n.Tag == "!!str" {
		n.Style = 0
	}
	text, err := yaml.Marshal(&n)
	if err != nil {
		return fmt.Sprint(v)
	}
	return strings.TrimSpace(string(text))
}

// DurationText writes a duration without the zeros at its end.
func DurationText(d time.Duration) string {
	text := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = text[:len(text)-2]
		}
	}
	return text
}

// parseValue reads what ValueText writes, and what people type for --set and in
// the environment: text needs no quotes, and a list of names may do without
// brackets. What does not fit the type comes back as it is, to be refused with
// what the key wants.
func parseValue(t reflect.Type, text string) any {
	if t.Kind() == reflect.String || t == reflect.TypeFor[time.Duration]() {
		return unquote(text)
	}
	if names := reflect.TypeFor[[]string](); t == names {
		if !strings.HasPrefix(strings.TrimSpace(text), "[") {
			text = "[" + text + "]"
		}
		var list []string
		if yaml.Unmarshal([]byte(text), &list) == nil {
			return list
		}
		return text
	}
	var v any
	if yaml.Unmarshal([]byte(text), &v) != nil {
		return text
	}
	return v
}

// unquote takes YAML quotes off, if there are any.
func unquote(text string) string {
	if t := strings.TrimSpace(text); strings.HasPrefix(t, `"`) || strings.HasPrefix(t, "'") {
		var s string
		if yaml.Unmarshal([]byte(t), &s) == nil {
			return s
		}
	}
	return text
}

// Short cuts what is too long for one line of a message.
func Short(text string) string {
	const most = 60
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "…"
	}
	return text
}

// Counted writes a number with its noun.
func Counted(n uint64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if strings.HasSuffix(noun, "ch") {
		noun += "e"
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
