package config

import (
	"math"
	"reflect"
	"slices"
	"strings"

	"peerd.dev/node/site"
)

// settingKeys lists the settings of a site, and for a laboratory the ones of lockstep, without the parameters of learners and protocols.
// Networks compare mode, and folders keep world.kind, so both are settings of a site, although it has no choice.
func settingKeys(blocks []*block, mechanisms []string, laboratory bool) []Key {
	learners, learning := entryNames(blocks, "learner")
	protocols, spreading := entryNames(blocks, "protocol")
	rules := map[string]Rule{
		"mode": OneOf(string(Live)), "world": OneOf(Application), "mechanism": OneOf(mechanisms...), "learner": OneOf(learners...), "protocol": OneOf(protocols...),
		"a path": pathText(true), "addresses": addresses(), "names": names(2, mostArms), "budget": budget(), "features": encodingRule(),
		"loopback": loopbackAddress(), "two ends": twoEnds(),
		"0 or 0.5 to 20": Number("0, or a number from 0.5 to 20", func(x float64) bool { return x == 0 || x >= .5 && x <= 20 }),
		"finite":         Number("a finite number", func(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }),
		"action":         Holds("the name of an action, or nothing", func(reflect.Value) bool { return true }),
		"offer": Holds("a list of names of actions that were added to the network, or [all]", func(v reflect.Value) bool {
			names := v.Interface().([]string)
			return len(names) < 2 || !slices.Contains(names, site.OfferAll)
		}),
	}
	keys := tagged(reflect.ValueOf(Settings{}), "", field{}, rules)
	for i := range keys {
		switch k := &keys[i]; k.Name {
		case learnerKey:
			k.Default, k.Doc = learners[0], strings.Replace(k.Doc, "%s", learning, 1)
		case protocolKey:
			k.Default, k.Doc = protocols[0], strings.Replace(k.Doc, "%s", spreading, 1)
		}
	}
	return slices.DeleteFunc(keys, func(k Key) bool { return !laboratory && (k.Name == "seed" || k.Name == "rounds.count") })
}
