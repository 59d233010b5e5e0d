package protocol_test

import (
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strings"
	"testing"
)

// A program of another module implements interfaces and passes functions. What such a thing of its own returns is bytes
// that the program chose, however honest the interface reads. So a declaration that makes what can leave must not ask one
// for them: it takes releases, or values that a package of this module vouches for.

// harmless are the interfaces and functions from which exported declarations that make what can leave take bytes or
// numbers, each with the reason why no number of a release, and no byte of a message, comes from there.
var harmless = map[string]string{
	"audit.Agent: bandit.Params.New.Load":                                   "what a learner has saved, which makes no message",
	"audit.Agent: bandit.Params.New.Save":                                   "the same",
	"audit.Agent: bandit.Params.New.Update":                                 "a belief of releases, which a learner reads",
	"node.Spec.Assemble: func(node.Coins) (bandit.Learner, error)().Load":   "what a learner has saved, which makes no message",
	"node.Spec.Assemble: func(node.Coins) (bandit.Learner, error)().Save":   "the same",
	"node.Spec.Assemble: func(node.Coins) (bandit.Learner, error)().Update": "a belief of releases, which a learner reads",
	"printed.Raw.Wrap: bandit.Learner.Load":                                 "what a learner has saved, which makes no message",
	"printed.Raw.Wrap: bandit.Learner.Save":                                 "the same",
	"printed.Raw.Wrap: bandit.Learner.Update":                               "a belief of releases, which a learner reads",
	"site.Open: site.Config.Coins()":                                        "the seed of coins; noise has a source of its own",
	"site.Open: site.Config.Memberships()":                                  "the hash of a policy",
	"site.Open: site.Config.Store.Memory.Get":                               "the disk, which the program can write in any case",
	"site.Open: site.Config.Store.Memory.Scan":                              "the same",
	"site.Open: site.Config.World().Load":                                   "what a simulated world has saved",
	"site.Open: site.Config.World().Save":                                   "the same",
}

// TestNoInterfaceOfACallerMakesReleases: of the exported declarations of all packages that other modules can import, those that
// make a release, a message, a press or what makes these ask no interface and no function of the caller for bytes.
func TestNoInterfaceOfACallerMakesReleases(t *testing.T) {
	c := everything(t)
	var pkgs []*types.Package
	for _, dir := range packageDirs(t) {
		if strings.Contains("/"+dir+"/", "/internal/") || !slices.Contains([]string{"dp", "protocol", "node", "gossip"}, strings.Split(dir, "/")[0]) {
			continue
		}
		pkg, err := c.conf.Importer.Import(module + dir)
		if err != nil {
			t.Fatal(err)
		}
		pkgs = append(pkgs, pkg)
	}
	found, seen := foreignBytes(pkgs)
	for _, f := range slices.Sorted(maps.Keys(found)) {
		if harmless[f] == "" {
			t.Errorf("%s: bytes of a caller where what can leave is made", f)
		}
	}
	for _, f := range slices.Sorted(maps.Keys(harmless)) {
		if !found[f] {
			t.Errorf("%s: listed, but there is none", f)
		}
	}
	if seen < 50 {
		t.Errorf("%d declarations make what can leave: the test looks at nothing", seen)
	}
}

// foreignBytes returns, for the exported functions and methods that make what can leave, the ways on which they take bytes of an
// interface or a function of the caller, and how many such declarations there are.
func foreignBytes(pkgs []*types.Package) (found map[string]bool, seen int) {
	found = make(map[string]bool)
	s := surface{making: make(map[*types.TypeName]bool), within: make(map[types.Type]bool)}
	for grown := true; grown; { // what returns a maker is a maker
		grown = false
		for _, pkg := range pkgs {
			for _, name := range pkg.Scope().Names() {
				if of, ok := pkg.Scope().Lookup(name).(*types.TypeName); ok && of.Exported() && !s.making[of] && s.isMaker(of) {
					s.making[of], grown = true, true
				}
			}
		}
	}
	for _, pkg := range pkgs {
		for _, name := range pkg.Scope().Names() {
			obj := pkg.Scope().Lookup(name)
			if !obj.Exported() {
				continue
			}
			look := func(name string, sig *types.Signature) {
				if !s.gives(sig) {
					return
				}
				seen++
				for p := range sig.Params().Variables() {
					s.ways(found, name+": "+short(p.Type()), p.Type(), nil)
				}
			}
			switch obj := obj.(type) {
			case *types.Func:
				look(pkg.Name()+"."+name, obj.Signature())
			case *types.TypeName:
				if types.IsInterface(obj.Type()) {
					continue // its methods are of who implements it
				}
				for m := range types.NewMethodSet(types.NewPointer(obj.Type())).Methods() {
					if m.Obj().Exported() {
						look(pkg.Name()+"."+name+"."+m.Obj().Name(), m.Obj().(*types.Func).Signature())
					}
				}
			}
		}
	}
	return found, seen
}

// A surface is what is exported.
type surface struct {
	making map[*types.TypeName]bool // types with methods that return what can leave
	within map[types.Type]bool      // structs that are looked at
}

// isMaker reports whether a type has a method that makes what can leave, or a field that others read.
func (s *surface) isMaker(of *types.TypeName) bool {
	if s.leaves(of.Type()) {
		return false
	}
	for m := range types.NewMethodSet(types.NewPointer(of.Type())).Methods() {
		if m.Obj().Exported() && s.gives(m.Obj().(*types.Func).Signature()) {
			return true
		}
	}
	return false
}

// gives reports whether a function returns what can leave or what makes it, or passes it to a function or an interface of
// its caller.
func (s *surface) gives(sig *types.Signature) bool {
	for r := range sig.Results().Variables() {
		if s.leaves(r.Type()) {
			return true
		}
	}
	for p := range sig.Params().Variables() {
		for _, of := range ofCaller(p.Type()) {
			for q := range of.sig.Params().Variables() {
				if s.leaves(q.Type()) {
					return true
				}
			}
		}
	}
	return false
}

// leaves reports whether a type is, holds or makes what goes on the wire.
func (s *surface) leaves(t types.Type) bool {
	if canLeave(t) {
		return true
	}
	switch t := types.Unalias(t).(type) {
	case *types.Pointer:
		return s.leaves(t.Elem())
	case *types.Slice:
		return s.leaves(t.Elem())
	case *types.Named:
		if short(t) == "protocol.Press" || short(t) == "dp.Curator" || s.making[t.Obj()] {
			return true
		}
		if of, ok := t.Underlying().(*types.Struct); ok && !s.within[t] {
			s.within[t] = true
			defer delete(s.within, t)
			for f := range of.Fields() {
				if f.Exported() && s.leaves(f.Type()) {
					return true
				}
			}
		}
	}
	return false
}

// A call is a function that a caller brings.
type call struct {
	name string
	sig  *types.Signature
}

// ofCaller returns what a program can bring in a value of a type: a function, or the methods of an interface. A method that is
// not exported protects none, since a struct with the interface in it has it.
func ofCaller(t types.Type) (all []call) {
	switch of := t.Underlying().(type) {
	case *types.Signature:
		all = append(all, call{"()", of})
	case *types.Interface:
		for m := range of.Methods() {
			all = append(all, call{"." + m.Name(), m.Signature()})
		}
	}
	return all
}

// ways notes where bytes come out of what a caller can put into a value of a type.
func (s *surface) ways(found map[string]bool, name string, t types.Type, within []types.Type) {
	if slices.ContainsFunc(within, func(o types.Type) bool { return types.Identical(o, t) }) || canLeave(t) {
		return
	}
	within = append(within, t)
	if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() != nil {
		switch path := n.Obj().Pkg().Path(); {
		case path == module+"internal/vouch", !strings.HasPrefix(path, module):
			return // nothing of the caller's; of the standard library
		}
	}
	for _, of := range ofCaller(t) {
		for r := range of.sig.Results().Variables() {
			if isBytes(r.Type()) {
				found[fmt.Sprintf("%s%s", name, of.name)] = true
			}
			s.ways(found, name+of.name, r.Type(), within)
		}
		for p := range of.sig.Params().Variables() {
			if isBytes(p.Type()) && short(p.Type()) != "string" { // which it can fill
				found[fmt.Sprintf("%s%s", name, of.name)] = true
			}
		}
	}
	switch of := t.Underlying().(type) {
	case *types.Pointer:
		s.ways(found, name, of.Elem(), within)
	case *types.Slice:
		s.ways(found, name, of.Elem(), within)
	case *types.Map:
		s.ways(found, name, of.Elem(), within)
	case *types.Struct:
		for f := range of.Fields() {
			if f.Exported() {
				s.ways(found, name+"."+f.Name(), f.Type(), within)
			}
		}
	}
}

// isBytes reports whether a type is a sequence of numbers or bytes.
func isBytes(t types.Type) bool {
	switch of := types.Unalias(t).Underlying().(type) {
	case *types.Slice:
		return isNumber(of.Elem()) || isBytes(of.Elem())
	case *types.Array:
		return isNumber(of.Elem())
	}
	return false
}

func isNumber(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsNumeric != 0
}
