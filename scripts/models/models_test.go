package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"peerd.dev/internal/require"
)

// TestModelsAreOfTheSpecification fails if docs/openapi.json was changed and the models of the
// clients were not generated again.
func TestModelsAreOfTheSpecification(t *testing.T) {
	root := filepath.Join("..", "..")
	files := require.Value(render(root))(t)
	for name, want := range files {
		got := require.Value(os.ReadFile(filepath.Join(root, filepath.FromSlash(name))))(t)
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what %s says; run: go run ./scripts/models", name, specification)
		}
	}
}

func specified(fields string) []byte {
	return []byte(`{"components":{"schemas":{"Thing":{"type":"object","required":["b"],"properties":{"b":{"type":"string"},` + fields + `}}}}}`)
}

// TestModelsFollowTheSchema shows the model of each kind of field.
func TestModelsFollowTheSchema(t *testing.T) {
	for _, c := range []struct{ schema, python, typescript, goes string }{
		{`"a":{"type":"string"}`, "    a: Optional[str] = None\n", "  a?: string;\n", "\tA string `json:\"a,omitzero\"`\n"},
		{`"a":{"type":"integer"}`, "    a: Optional[int] = None\n", "  a?: number;\n", "\tA int64  `json:\"a,omitzero\"`\n"},
		{`"a":{"type":"string","enum":["x","y"]}`, "    # One of x, y.\n    a: Optional[str] = None\n", "  /** One of x, y. */\n  a?: \"x\" | \"y\";\n", "\t// One of x, y.\n\tA string `json:\"a,omitzero\"`\n"},
		{`"a":{"type":["array","null"],"items":{"type":"number"}}`, "    a: Optional[List[float]] = None\n", "  a?: number[] | null;\n", "\tA []float64 `json:\"a,omitzero\"`\n"},
		{`"a":{"type":"array","items":{"type":"string","enum":["x","y"]}}`, "    a: Optional[List[str]] = None\n", "  a?: (\"x\" | \"y\")[];\n", "\tA []string `json:\"a,omitzero\"`\n"},
		{`"a":{"type":["array","object"],"items":{"type":"number"}}`, "    a: Optional[Union[List[float], Mapping[str, Any]]] = None\n", "  a?: number[] | Record<string, number | string>;\n", "\tA any    `json:\"a,omitzero\"`\n"},
		{`"a":{"$ref":"#/components/schemas/Thing"}`, "    a: Optional[Thing] = None\n", "  a?: Thing;\n", "\tA *Thing `json:\"a,omitzero\"`\n"},
		{`"a":{"type":"array","items":{"$ref":"#/components/schemas/Thing"}}`, "    a: Optional[List[Thing]] = None\n", "  a?: Thing[];\n", "\tA []Thing `json:\"a,omitzero\"`\n"},
	} {
		all, err := parse(specified(c.schema))
		if err != nil {
			t.Error(c.schema, err)
			continue
		}
		for i, want := range []string{c.python, c.typescript, c.goes} {
			l := languages()[i]
			got, err := l.render(all)
			if err != nil || !strings.Contains(string(got), want) {
				t.Errorf("%s of %s: %v\n%s\nhas no %q", l.file, c.schema, err, got, want)
			}
		}
	}
}

// TestUnknownWordsAreRefused shows that no schema is modelled partially.
func TestUnknownWordsAreRefused(t *testing.T) {
	for _, fields := range []string{
		`"a":{"oneOf":[]}`, `"a":{"type":"object"}`, `"a":{"type":"array"}`, `"a":{"type":["string","number"]}`, `"a":{"type":["string","object"]}`, `"a":{}`,
	} {
		if _, err := parse(specified(fields)); err == nil {
			t.Errorf("%s has a model", fields)
		}
	}
	if _, err := parse([]byte(`{}`)); err == nil {
		t.Error("nothing has models")
	}
}
