package api

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"
)

// An object is a JSON object; encoding/json writes its names sorted.
type object = map[string]any

// schemas holds the JSON schema of every document, by name. It is derived from Go types: the json
// tags of a field give its name and whether it may be missing, and the tags below describe it.
type schemas map[string]object

// The tags of a field, in addition to json, are keywords of JSON Schema. Doc is the description,
// enum a list separated by commas, and maxItems has one number for each level of nested lists.
const (
	tagDoc      = "doc"
	tagEnum     = "enum"
	tagExample  = "example"
	tagMaxItems = "maxItems"
	tagNullable = "nullable" // "true" for a list that may be null
	tagNamed    = "named"    // "true" for a list in place of which an object may give named values
)

// of returns the schema of t, which for a struct is a reference. A closed document allows only
// the fields that it lists. of panics for types that no document has.
func (all schemas) of(t reflect.Type, closed bool) object {
	if t == reflect.TypeFor[time.Time]() {
		return object{"type": "string", "format": "date-time"}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return all.of(t.Elem(), closed)
	case reflect.Struct:
		name := schemaName(t)
		if _, ok := all[name]; !ok {
			all[name] = all.document(t, closed)
		}
		return object{"$ref": "#/components/schemas/" + name}
	case reflect.Map:
		return object{"type": "object"}
	case reflect.Slice:
		return object{"type": "array", "items": all.of(t.Elem(), closed)}
	case reflect.String:
		return object{"type": "string"}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Float64:
		return object{"type": "number", "format": "double"}
	case reflect.Int:
		return object{"type": "integer", "format": "int64"}
	case reflect.Uint32:
		return object{"type": "integer", "format": "int32", "minimum": 0}
	case reflect.Uint64:
		return object{"type": "integer", "format": "int64", "minimum": 0}
	default:
		panic(fmt.Sprintf("api: no schema for the type %v", t))
	}
}

// schemaName returns Ask for the type askBody.
func schemaName(t reflect.Type) string {
	name := strings.TrimSuffix(t.Name(), "Body")
	return strings.ToUpper(name[:1]) + name[1:]
}

// document returns the schema of a struct.
func (all schemas) document(t reflect.Type, closed bool) object {
	properties := object{}
	doc := object{"type": "object", "properties": properties}
	if closed {
		doc["additionalProperties"] = false
	}
	var required []string
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch other := f.Tag.Get("unless"); {
		case other != "":
			doc["anyOf"] = []object{{"required": []string{name}}, {"required": []string{other}}}
		case !strings.HasPrefix(options, "omit"):
			required = append(required, name)
		}
		s := all.of(f.Type, closed)
		describe(s, f.Tag)
		properties[name] = s
	}
	if required != nil {
		doc["required"] = required
	}
	return doc
}

// describe adds the content of a field's tags to its schema.
func describe(s object, tag reflect.StructTag) {
	for _, word := range []string{"minimum", "maximum", "minLength", "maxLength", "minItems"} {
		if v, ok := tag.Lookup(word); ok {
			s[word] = json.Number(v)
		}
	}
	if v, ok := tag.Lookup(tagMaxItems); ok {
		level := s
		for most := range strings.SplitSeq(v, ",") {
			level[tagMaxItems] = json.Number(most)
			level = level["items"].(object)
		}
	}
	if v, ok := tag.Lookup("pattern"); ok {
		s["pattern"] = v
	}
	if v, ok := tag.Lookup(tagDoc); ok {
		s["description"] = v
	}
	if v, ok := tag.Lookup(tagEnum); ok {
		s["enum"] = strings.Split(v, ",")
	}
	if v, ok := tag.Lookup(tagExample); ok {
		s["examples"] = []string{v}
	}
	if tag.Get(tagNamed) == "true" {
		s["type"] = []any{s["type"], "object"}
	}
	if tag.Get(tagNullable) == "true" {
		s["type"] = []any{s["type"], "null"}
	}
}
