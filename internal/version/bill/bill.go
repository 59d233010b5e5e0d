// Package bill is the software bill of materials of a binary. It is apart from package version, since a daemon needs none.
package bill

import (
	_ "embed"
	"runtime/debug"
	"strings"

	"peerd.dev/internal/version"
)

//go:embed licences.txt
var licences string

// A Bill is the software bill of materials of a binary, in the form of CycloneDX 1.6.
type Bill struct {
	Schema       string       `json:"$schema"`
	Format       string       `json:"bomFormat"`
	Spec         string       `json:"specVersion"`
	Version      int          `json:"version"`
	Metadata     metadata     `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

type metadata struct {
	Timestamp string    `json:"timestamp,omitempty"` // of the commit, so that equal binaries have equal bills
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	Licences   []licence  `json:"licenses,omitempty"`
	PURL       string     `json:"purl"`
	Properties []property `json:"properties,omitempty"`
}

type licence struct {
	Expression string `json:"expression"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type dependency struct {
	Ref string   `json:"ref"`
	On  []string `json:"dependsOn"`
}

// Of returns the bill of a binary: peerd, the standard library, and the modules that are linked into it.
func Of(info *debug.BuildInfo) Bill {
	known := licenceTable()
	doc := version.InfoOf(info)
	main := material("application", "peerd", info.Main.Path, doc.Version, "Apache-2.0")
	for _, s := range info.Settings {
		main.Properties = append(main.Properties, property{"peerd:build:" + s.Key, s.Value})
	}
	goVersion, _, _ := strings.Cut(strings.TrimPrefix(info.GoVersion, "go"), " ")
	parts := []component{material("library", "std", "std", goVersion, "BSD-3-Clause")}
	for _, m := range info.Deps {
		c := material("library", m.Path, m.Path, m.Version, known[m.Path])
		if m.Replace != nil {
			c = material("library", m.Path, m.Replace.Path, m.Replace.Version, "")
			m = m.Replace
		}
		if m.Sum != "" {
			c.Properties = []property{{"peerd:go.sum", m.Sum}}
		}
		parts = append(parts, c)
	}
	on := make([]string, len(parts))
	for i, c := range parts {
		on[i] = c.Ref
	}
	return Bill{
		Schema: "http://cyclonedx.org/schema/bom-1.6.schema.json", Format: "CycloneDX", Spec: "1.6", Version: 1,
		Metadata:   metadata{Timestamp: doc.Time, Component: main},
		Components: parts, Dependencies: []dependency{{Ref: main.Ref, On: on}},
	}
}

// material returns a component, whose package URL has a path in small letters, as the specification of these URLs wants it.
func material(kind, name, path, version, expression string) component {
	url := "pkg:golang/" + strings.ToLower(path) + "@" + strings.NewReplacer("+", "%2B", "(", "%28", ")", "%29").Replace(version)
	c := component{Type: kind, Ref: url, Name: name, Version: version, PURL: url}
	if expression != "" {
		c.Licences = []licence{{expression}}
	}
	return c
}

// licenceTable returns the licences by module.
func licenceTable() map[string]string {
	table := make(map[string]string)
	for line := range strings.Lines(licences) {
		if path, expression, ok := strings.Cut(strings.TrimSpace(line), " "); ok && path != "#" {
			table[path] = expression
		}
	}
	return table
}
