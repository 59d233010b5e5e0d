package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A document is a schema of the specification: an object with fields.
type document struct {
	Name   string
	Uses   []string // such as "the answer of GET /v1/status"
	Fields []field  // required ones first, in the order of the specification
}

type field struct {
	Name     string
	Doc      string
	Type     kind
	Required bool
}

// A kind is the type of a field: a list of another kind, a document, or a plain JSON type.
type kind struct {
	JSON string // string, integer, number or boolean
	Ref  string // name of a document
	List *kind
	Map  bool     // in place of a list, an object can give named values
	Null bool     // may be null
	Enum []string // of a string: its only values
	Date bool     // of a string: RFC 3339
}

// schema is the specification's description of a type. Keywords that are not here are refused,
// since a model that ignored them would be wrong.
type schema struct {
	Ref         string            `json:"$ref"`
	Type        any               `json:"type"` // a name, or that and null, or array and object
	Properties  map[string]schema `json:"properties"`
	Required    []string          `json:"required"`
	AnyOf       []schema          `json:"anyOf"` // what is required in addition; models have the first
	Items       *schema           `json:"items"`
	Enum        []string          `json:"enum"`
	Format      string            `json:"format"`
	Description string            `json:"description"`
	limits
}

// limits are checked by the peer.
type limits struct {
	AdditionalProperties *bool    `json:"additionalProperties"`
	Minimum              *float64 `json:"minimum"`
	Maximum              *float64 `json:"maximum"`
	MinItems             *int     `json:"minItems"`
	MaxItems             *int     `json:"maxItems"`
	MinLength            *int     `json:"minLength"`
	MaxLength            *int     `json:"maxLength"`
	Pattern              string   `json:"pattern"`
	Examples             []any    `json:"examples"`
}

// parse reads a specification's documents, by name.
func parse(text []byte) ([]document, error) {
	var whole struct {
		Components struct{ Schemas map[string]json.RawMessage }
		Paths      map[string]map[string]operation
	}
	if err := json.Unmarshal(text, &whole); err != nil {
		return nil, err
	}
	uses := usesOf(whole.Paths)
	var all []document
	for _, name := range slices.Sorted(maps.Keys(whole.Components.Schemas)) {
		d := json.NewDecoder(bytes.NewReader(whole.Components.Schemas[name]))
		d.DisallowUnknownFields()
		var s schema
		if err := d.Decode(&s); err != nil {
			return nil, fmt.Errorf("schema %s: %w", name, err)
		}
		fields, err := s.fields()
		if err != nil {
			return nil, fmt.Errorf("schema %s: %w", name, err)
		}
		all = append(all, document{Name: name, Uses: uses[name], Fields: fields})
	}
	if len(all) == 0 {
		return nil, errors.New("no schemas")
	}
	return all, nil
}

func (s schema) fields() ([]field, error) {
	if s.Type != "object" {
		return nil, fmt.Errorf("is %v, want an object", s.Type)
	}
	names := slices.Clone(s.Required)
	if len(s.AnyOf) > 0 {
		names = append(names, s.AnyOf[0].Required...)
	}
	required := len(names)
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	var all []field
	for i, name := range names {
		p, ok := s.Properties[name]
		if !ok {
			return nil, fmt.Errorf("%s is required and not there", name)
		}
		k, err := p.kind()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, field{Name: name, Doc: p.Description, Type: k, Required: i < required})
	}
	return all, nil
}

func (s schema) kind() (kind, error) {
	if s.Ref != "" {
		return kind{Ref: s.Ref[strings.LastIndexByte(s.Ref, '/')+1:]}, nil
	}
	name, null, named := s.Type, false, false
	if both, ok := s.Type.([]any); ok && len(both) == 2 && (both[1] == "null" || both[1] == "object") {
		name, null, named = both[0], both[1] == "null", both[1] == "object"
	}
	switch name {
	case "array":
		if s.Items == nil {
			return kind{}, errors.New("a list of what?")
		}
		of, err := s.Items.kind()
		return kind{List: &of, Map: named, Null: null}, err
	case "string", "integer", "number", "boolean":
		if named {
			break
		}
		return kind{JSON: name.(string), Null: null, Enum: s.Enum, Date: s.Format == "date-time"}, nil
	}
	return kind{}, fmt.Errorf("no model of type %v", s.Type)
}

// operation is an operation on a path.
type operation struct {
	RequestBody content `json:"requestBody"`
	Responses   map[string]content
}

type content struct {
	Content map[string]struct{ Schema schema }
}

// refs returns the documents that a content is or lists, described in words.
func (c content) refs(word string) map[string]string {
	all := make(map[string]string)
	for _, as := range c.Content {
		k, err := as.Schema.kind()
		switch {
		case err != nil:
		case k.Ref != "":
			all[k.Ref] = word
		case k.List != nil && k.List.Ref != "":
			all[k.List.Ref] = word + ", in a list"
		}
	}
	return all
}

// usesOf returns where documents are sent and answered, in the order of the paths.
func usesOf(paths map[string]map[string]operation) map[string][]string {
	uses := make(map[string][]string)
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		for _, method := range slices.Sorted(maps.Keys(paths[path])) {
			o, what := paths[path][method], strings.ToUpper(method)+" "+path
			for name, words := range o.RequestBody.refs("the body of " + what) {
				uses[name] = append(uses[name], words)
			}
			for name, words := range o.Responses["200"].refs("the answer of " + what) {
				uses[name] = append(uses[name], words)
			}
		}
	}
	return uses
}
