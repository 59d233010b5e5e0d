package graphs

import (
	"fmt"
	"strings"
)

// ParseSpec reads the short form of a topology, such as ring, regular(6),
// hub(3,ring) or file(edges.txt); [Forms] lists them all. The form contains neither N nor the
// edges of a file, which the caller fills in. ParseSpec does not check ranges, most of which
// depend on N; Validate does.
func ParseSpec(text string) (Spec, error) {
	name, args, has := strings.Cut(strings.TrimSpace(text), "(")
	f, ok := find(strings.TrimSpace(name))
	if !ok {
		return Spec{}, unknown(name)
	}
	s := Spec{Name: f.name}
	switch {
	case !has && f.mayBeBare():
		return s, nil
	case f.params == nil:
		return Spec{}, fmt.Errorf("topology: %q: %s takes no parameters", text, f.name)
	case !has:
		return Spec{}, fmt.Errorf("topology: %q: write %s, as in %s", text, f.form(), f.example())
	}
	args, ok = strings.CutSuffix(args, ")")
	if !ok {
		return Spec{}, fmt.Errorf("topology: %q: the closing parenthesis is missing", text)
	}
	// No more pieces than parameters: a file's name may hold commas.
	values := strings.SplitN(args, ",", len(f.params))
	if len(values) < len(f.params) {
		return Spec{}, fmt.Errorf("topology: %q: write %s, as in %s", text, f.form(), f.example())
	}
	for k, p := range f.params {
		if err := p.set(&s, values[k]); err != nil {
			return Spec{}, fmt.Errorf("topology: %q: %w", text, err)
		}
	}
	return s, nil
}

// String returns the short form, which [ParseSpec] reads back. It contains neither N nor the
// edges of a file.
func (s Spec) String() string {
	f, _ := find(s.Name)
	bare := f.params == nil || f.mayBeBare() && f.params[0].isZero(s)
	if bare {
		return s.Name
	}
	var values []string
	for _, p := range f.params {
		values = append(values, p.text(s))
	}
	return s.Name + "(" + strings.Join(values, ",") + ")"
}
