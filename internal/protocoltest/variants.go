package protocoltest

import (
	"reflect"
	"strings"
)

// Variants returns a struct of parameters once for every combination of what its fields
// with a tag want:"a|b|c" may hold; all else stays as it is. The struct itself comes first.
func Variants[P any](params P) []P {
	all := []P{params}
	of := reflect.TypeOf(params)
	for i := range of.NumField() {
		words := strings.Split(of.Field(i).Tag.Get("want"), "|")
		if len(words) < 2 {
			continue
		}
		for _, p := range all {
			for _, w := range words {
				v := reflect.New(of).Elem()
				v.Set(reflect.ValueOf(p))
				switch f := v.Field(i); f.Kind() {
				case reflect.String:
					f.SetString(w)
				case reflect.Bool:
					f.SetBool(w == "true")
				default:
					panic("protocoltest: words for " + of.Field(i).Name + ", which holds none")
				}
				if v.Interface() != any(p) {
					all = append(all, v.Interface().(P))
				}
			}
		}
	}
	return all
}
