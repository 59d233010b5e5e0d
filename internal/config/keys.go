package config

import (
	"math"
	"reflect"
	"slices"
	"strings"

	"peerd.dev/internal/wanted"
	"peerd.dev/node/site"
)

// tagged describes the settings that the fields of a struct are, by their tags. The fields of a struct in it have its name before
// theirs. Rules are those that tags call by a name.
func tagged(v reflect.Value, prefix string, at field, rules map[string]wanted.Rule) (keys []Key) {
	for i := range v.NumField() {
		f, tag := v.Type().Field(i), v.Type().Field(i).Tag.Get
		want, is := f.Tag.Lookup("want")
		k := Key{
			Name: prefix + wanted.Key(f), Example: tag("example"), Begin: tag("begin"), Unit: tag("unit"), Doc: tag("doc"), Page: tag("page"),
			Shared: tag("shared") != "", Fixed: tag("fixed") != "", Later: tag("later") == "yes", Changes: tag("changes") != "", Laboratory: tag("lab") != "",
			field: field{at.block, append(at.index[:len(at.index):len(at.index)], i)},
		}
		if b := at.block; b != nil {
			// The entry, of several with one type, that has the key, and has it since a later build.
			if only := tag("only"); only != "" && only != b.name {
				continue
			}
			k.Later = k.Later || tag("later") == b.name
		}
		switch standard, ok := f.Tag.Lookup("default"); {
		case !is && f.Type.Kind() == reflect.Struct:
			keys = append(keys, tagged(v.Field(i), k.Name+".", k.field, rules)...)
			continue
		case !is:
			continue
		case ok || k.Example != "":
			k.Default = standard
		default:
			k.Default = ValueText(v.Field(i).Interface())
		}
		if k.Rule, is = rules[want]; !is {
			k.Rule = ruleOf(want)
		}
		keys = append(keys, k)
	}
	return keys
}

// blockKeys describes the parameters of the entries of a section, which peers have to agree on if they are shared.
func blockKeys(blocks []*block, section string, shared bool) (keys []Key) {
	for _, b := range blocks {
		if b.section != section {
			continue
		}
		rules := map[string]wanted.Rule(nil)
		if r, ok := b.standard.(interface{ Rules() map[string]wanted.Rule }); ok {
			rules = r.Rules()
		}
		for _, k := range tagged(reflect.ValueOf(b.standard), strings.TrimPrefix(section+"."+b.name+".", "."), field{block: b}, rules) {
			k.Shared = k.Shared || shared || k.Fixed && section != ""
			keys = append(keys, k)
		}
	}
	return keys
}

// entryNames returns the names of a table and what they mean, for the setting that chooses one.
func entryNames(blocks []*block, section string) (names []string, summaries string) {
	verb := " "
	if section == "protocol" {
		verb = " is "
	}
	var all []string
	for _, b := range blocks {
		if b.section == section {
			names, all = append(names, b.name), append(all, b.name+verb+b.summary)
		}
	}
	return names, strings.Join(all, "; ")
}

// settingKeys lists the settings of a site, and for a laboratory the ones of lockstep, without the parameters of learners and protocols.
// Networks compare mode, and folders keep world.kind, so both are settings of a site, although it has no choice.
func settingKeys(blocks []*block, mechanisms []string, laboratory bool) []Key {
	learners, learning := entryNames(blocks, "learner")
	protocols, spreading := entryNames(blocks, "protocol")
	rules := map[string]wanted.Rule{
		"mode": wanted.OneOf(string(Live)), "world": wanted.OneOf(Application), "mechanism": wanted.OneOf(mechanisms...), "learner": wanted.OneOf(learners...), "protocol": wanted.OneOf(protocols...),
		"a path": wanted.Path(true), "addresses": addresses(), "names": names(2, mostArms), "budget": budget(), "features": encodingRule(),
		"loopback": loopbackAddress(), "two ends": twoEnds(),
		"0 or 0.5 to 20": wanted.Number("0, or a number from 0.5 to 20", func(x float64) bool { return x == 0 || x >= .5 && x <= 20 }),
		"finite":         wanted.Number("a finite number", func(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }),
		"action":         wanted.Holds("the name of an action, or nothing", func(reflect.Value) bool { return true }),
		"offer": wanted.Holds("a list of names of actions that were added to the network, or [all]", func(v reflect.Value) bool {
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
