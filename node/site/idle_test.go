package site

import (
	"reflect"
	"unsafe"

	"peerd.dev/dp"
	"peerd.dev/node"
)

// makeIdle takes the arms from an agent: what is left passes on what others release. No
// protocol of the table has such a role yet, and an agent is made from the table alone.
func makeIdle(a *node.Agent, spec *node.Spec) {
	door, err := dp.NewDoor(spec.Privacy.Mode, spec.Privacy.Budget, dp.NewSecureSource())
	if err != nil {
		panic(err)
	}
	of := reflect.ValueOf(a).Elem()
	set := func(field string, value any) {
		f := of.FieldByName(field)
		f = reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem()
		if value == nil {
			f.SetZero()
			return
		}
		f.Set(reflect.ValueOf(value))
	}
	set("learner", nil)
	set("closing", nil)
	set("door", door)
}
