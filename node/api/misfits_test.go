package api

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"
)

// misfits returns where a JSON value does not fit a schema. It knows the keywords that the
// schemas of this package use, and reports any other keyword.
func (all schemas) misfits(schema object, v any, at string) (wrong []string) {
	add := func(format string, args ...any) { wrong = append(wrong, at+": "+fmt.Sprintf(format, args...)) }
	within := func(word any) (limit float64) {
		limit, err := json.Number(fmt.Sprint(word)).Float64()
		if err != nil {
			add("%v", err)
		}
		return limit
	}
	length := math.NaN()
	switch v := v.(type) {
	case string:
		length = float64(utf8.RuneCountInString(v))
	case []any:
		length = float64(len(v))
	case float64:
		length = v
	}
	for word, want := range schema {
		switch word {
		case "description", "examples":
		case "$ref":
			wrong = append(wrong, all.misfits(all[strings.TrimPrefix(want.(string), "#/components/schemas/")], v, at)...)
		case "type":
			if !isOf(want, v) {
				add("is no %v", want)
			}
		case "format":
			if s, ok := v.(string); ok && want == "date-time" {
				if _, err := time.Parse(time.RFC3339, s); err != nil {
					add("%v", err)
				}
			}
		case "minimum", "minLength", "minItems":
			if length < within(want) {
				add("%s is %v", word, want)
			}
		case "maximum", "maxLength", "maxItems":
			if length > within(want) {
				add("%s is %v", word, want)
			}
		case "pattern":
			if s, ok := v.(string); ok && !regexp.MustCompile(want.(string)).MatchString(s) {
				add("does not match %v", want)
			}
		case "enum":
			if !strings.Contains(fmt.Sprintf("%q", want), fmt.Sprintf("%q", v)) {
				add("is none of %q", want)
			}
		case "items":
			list, _ := v.([]any)
			for i, item := range list {
				wrong = append(wrong, all.misfits(want.(object), item, fmt.Sprintf("%s[%d]", at, i))...)
			}
		case "required":
			doc, _ := v.(object)
			for _, name := range want.([]string) {
				if _, ok := doc[name]; !ok && doc != nil {
					add("%s is missing", name)
				}
			}
		case "properties":
			doc, _ := v.(object)
			for name, part := range doc {
				if s, ok := want.(object)[name]; ok {
					wrong = append(wrong, all.misfits(s.(object), part, at+"."+name)...)
				} else if schema["additionalProperties"] == false {
					add("%s is not a field", name)
				}
			}
		case "additionalProperties":
			if want != false || schema["properties"] == nil {
				add("want %v", want)
			}
		default:
			add("a word %s in its schema", word)
		}
	}
	return wrong
}

// isOf reports whether a value has a type, or one of several.
func isOf(kind, v any) bool {
	if either, ok := kind.([]any); ok {
		for _, k := range either {
			if isOf(k, v) {
				return true
			}
		}
		return false
	}
	switch kind {
	case "null":
		return v == nil
	case "integer":
		n, ok := v.(float64)
		return ok && n == math.Trunc(n)
	}
	return v != nil && reflect.TypeOf(v) == map[any]reflect.Type{
		"object": reflect.TypeFor[object](), "array": reflect.TypeFor[[]any](), "string": reflect.TypeFor[string](),
		"number": reflect.TypeFor[float64](), "boolean": reflect.TypeFor[bool](),
	}[kind]
}
