package main

import (
	"bytes"
	_ "embed"
	"go/format"
	"strconv"
	"strings"
	"text/template"
)

//go:embed python.tmpl
var pythonTemplate string

//go:embed go.tmpl
var goTemplate string

//go:embed typescript.tmpl
var typescriptTemplate string

// A language is one that models are written in.
type language struct {
	file     string
	template string
	funcs    template.FuncMap
}

func languages() []language {
	return []language{
		{"node/api/client/python/peerd/models.py", pythonTemplate, template.FuncMap{
			"type": pythonType, "doc": doc, "uses": uses,
		}},
		{"node/api/client/node/models.d.ts", typescriptTemplate, template.FuncMap{
			"type": typescriptType, "doc": doc, "uses": uses,
		}},
		{"node/api/client/models.go", goTemplate, template.FuncMap{
			"name": goName, "type": goType, "omit": goOmit, "doc": doc, "uses": uses,
			"lower": func(s string) string { return strings.ToLower(s[:1]) + s[1:] },
		}},
	}
}

func (l language) render(all []document) ([]byte, error) {
	t, err := template.New("").Funcs(l.funcs).Parse(l.template)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err = t.Execute(&b, all); err != nil || !strings.HasSuffix(l.file, ".go") {
		return b.Bytes(), err
	}
	return format.Source(b.Bytes())
}

// pythonType is the annotation of a field, for Python 3.9.
func pythonType(f field) string {
	t := pythonKind(f.Type)
	if !f.Required && !f.Type.Null {
		t = "Optional[" + t + "]"
	}
	return t
}

func pythonKind(k kind) string {
	t := k.Ref
	switch {
	case k.List != nil:
		t = "List[" + pythonKind(*k.List) + "]"
		if k.Map {
			t = "Union[" + t + ", Mapping[str, Any]]"
		}
	case k.Ref == "":
		t = map[string]string{"string": "str", "integer": "int", "number": "float", "boolean": "bool"}[k.JSON]
	}
	if k.Null {
		t = "Optional[" + t + "]"
	}
	return t
}

func typescriptType(k kind) string {
	t := k.Ref
	switch {
	case k.List != nil:
		if t = typescriptType(*k.List); strings.Contains(t, "|") {
			t = "(" + t + ")"
		}
		t += "[]"
		if k.Map {
			t += " | Record<string, number | string>"
		}
	case len(k.Enum) > 0:
		quoted := make([]string, len(k.Enum))
		for i, e := range k.Enum {
			quoted[i] = strconv.Quote(e)
		}
		t = strings.Join(quoted, " | ")
	case k.Ref == "":
		t = map[string]string{"string": "string", "integer": "number", "number": "number", "boolean": "boolean"}[k.JSON]
	}
	if k.Null {
		t += " | null"
	}
	return t
}

// goName is the name of a field in Go.
func goName(f field) string {
	var b strings.Builder
	for part := range strings.SplitSeq(f.Name, "_") {
		switch part {
		case "id", "rtt", "sd":
			b.WriteString(strings.ToUpper(part))
		default:
			b.WriteString(strings.ToUpper(part[:1]) + part[1:])
		}
	}
	return b.String()
}

// goType is the type of a field in Go; a document that may be missing is a pointer.
func goType(f field) string {
	t := goKind(f.Type)
	if f.Type.Ref != "" && !f.Required {
		t = "*" + t
	}
	return t
}

func goKind(k kind) string {
	switch {
	case k.Ref != "":
		return k.Ref
	case k.Map:
		return "any"
	case k.List != nil:
		return "[]" + goKind(*k.List)
	case k.Date:
		return "time.Time"
	}
	return map[string]string{"string": "string", "integer": "int64", "number": "float64", "boolean": "bool"}[k.JSON]
}

// goOmit is what follows the name of a field that may be missing.
func goOmit(f field) string {
	if f.Required {
		return ""
	}
	return ",omitzero"
}

// doc returns the description of a field, in lines.
func doc(f field) []string {
	words := strings.Fields(f.Doc)
	if f.Type.Date {
		words = append(words, "RFC", "3339.")
	}
	if n := len(f.Type.Enum); n > 0 {
		words = append(words, strings.Fields("One of "+strings.Join(f.Type.Enum, ", ")+".")...)
	}
	const width = 80
	var lines []string
	for _, w := range words {
		if n := len(lines); n > 0 && len(lines[n-1])+1+len(w) <= width {
			lines[n-1] += " " + w
		} else {
			lines = append(lines, w)
		}
	}
	return lines
}

// uses describes the uses of a document.
func uses(d document) string {
	if len(d.Uses) == 0 {
		return "A part of other documents."
	}
	s := strings.Join(d.Uses, "; ")
	return strings.ToUpper(s[:1]) + s[1:] + "."
}
