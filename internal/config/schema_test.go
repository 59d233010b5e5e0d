package config

import (
	"reflect"
	"slices"
	"testing"

	"peerd.dev/internal/wanted"
)

func TestSchemaHasEveryFieldInOrder(t *testing.T) {
	var before Key
	for _, k := range Site().Keys() {
		if k.block != nil {
			continue
		}
		if k.index == nil || slices.Compare(k.index, before.index) <= 0 {
			t.Errorf("%s is field %v of Settings, after %s, field %v", k.Name, k.index, before.Name, before.index)
		}
		before = k
	}
}

// TestEntriesSayWhatTheyWant: tags of all parameters of all tables are rules, which the
// defaults pass.
func TestEntriesSayWhatTheyWant(t *testing.T) {
	for _, b := range Site().blocks {
		params := reflect.ValueOf(b.standard)
		for i := range params.NumField() {
			f := params.Type().Field(i)
			if only := f.Tag.Get("only"); only != "" && only != b.name {
				continue
			}
			name := b.section + "." + b.name + "." + wanted.Key(f)
			if k, ok := Site().Find(name); !ok || k.Want() == "" || k.Doc == "" || k.Required() {
				t.Errorf("%s: %+v", name, k)
			}
			if reason := ruleOf(f.Tag.Get("want")).Check(params.Field(i)); reason != "" {
				t.Errorf("%s: default %v: %s", name, params.Field(i), reason)
			}
		}
	}
	for _, tag := range []string{"", "some", "1", "..5", "a..b", "1..b", "over", "over 1 up to", "1 up to"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%q is a rule", tag)
				}
			}()
			ruleOf(tag)
		}()
	}
}

// TestDefaultsAreValid also shows that each default has its key's type and means
// what it says.
func TestDefaultsAreValid(t *testing.T) {
	c, problems, err := Site().Read("", nil)
	if err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	bad := make(map[string]string)
	for _, p := range c.Validate() {
		bad[p.Key] = p.Reason
	}
	for _, k := range Site().Keys() {
		if reason := bad[k.Name]; reason != "" && !k.Required() {
			t.Errorf("%s: default %s: %s", k.Name, k.Default, reason)
		}
		if got := ValueText(c.Value(k.Name).Interface()); !k.Required() && got != k.Default {
			t.Errorf("%s: default %s reads as %s", k.Name, k.Default, got)
		}
	}
}

func TestDistanceCountsSlips(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"abc", "ab", 1}, {"abc", "axc", 1}, {"", "abc", 3}, {"kitten", "sitting", 3}} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("%q to %q: %d, want %d", c.a, c.b, got, c.want)
		}
		if got := distance(c.b, c.a); got != c.want {
			t.Errorf("%q to %q: %d, want %d", c.b, c.a, got, c.want)
		}
	}
}
