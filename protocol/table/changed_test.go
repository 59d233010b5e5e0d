package table_test

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"peerd.dev/internal/protocoltest"
	"peerd.dev/node/lab/papers"
	"peerd.dev/protocol"
)

// changed returns parameters with one of them changed, for each that a network can change.
func changed(params protocol.Params) (all []protocol.Params) {
	of := reflect.TypeOf(params)
	for i := range of.NumField() {
		tag := of.Field(i).Tag
		if tag.Get("changes") == "" {
			continue
		}
		if tag.Get("fixed") != "" {
			panic(of.Field(i).Name + " changes, and a folder keeps it")
		}
		v := reflect.New(of).Elem()
		v.Set(reflect.ValueOf(params))
		switch f := v.Field(i); f.Kind() {
		case reflect.String:
			words := strings.Split(tag.Get("want"), "|")
			f.SetString(words[(slices.Index(words, f.String())+1)%len(words)])
		case reflect.Uint64:
			f.SetUint(2*f.Uint() + 1)
		case reflect.Int:
			f.SetInt(f.Int() + 1)
		case reflect.Float64:
			f.SetFloat(f.Float() / 2)
		default:
			panic("no other value of " + of.Field(i).Name)
		}
		all = append(all, v.Interface().(protocol.Params))
	}
	return all
}

// TestPeersGoOnWithAChangedParameter, which a network changes while its peers run: one peer after the other takes it over, no
// honest message is refused, and peers go on to release.
func TestPeersGoOnWithAChangedParameter(t *testing.T) {
	everyEntry(t, func(t *testing.T, e protocol.Params) {
		tried := 0
		for i, params := range variants(e) {
			for _, other := range changed(params) {
				tried++
				s := conforming(e, uint64(i)) // with these parameters
				n := protocoltest.New(t, s)
				h := protocoltest.Faults{Rand: rand.New(rand.NewPCG(uint64(i), 3)), Lose: .1, Repeat: .1, Late: .2}
				play := n.Choices(s.Seed)
				for round := range 60 {
					if at := round - 20; at >= 0 && at < len(n.Peers) {
						n.Params = other
						n.Restart(t, at, 0)
					}
					n.Play(t, play)
					h.Befall(n)
				}
			}
		}
		if tried == 0 && slices.ContainsFunc(papers.All(), func(p protocol.Params) bool { return p.Words() == e.Words() }) {
			t.Error("nothing can be changed")
		}
	})
}
