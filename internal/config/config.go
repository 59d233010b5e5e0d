// Package config is the configuration language of peerd: settings and their schema, the files,
// variables and flags that they come from, the rules that refuse them, what they mean, and the
// network file. Its errors have kinds, which determine exit codes.
package config

import (
	"os"
	"reflect"
	"slices"

	"peerd.dev/protocol"
)

// A Config is Settings with where they came from.
type Config struct {
	Settings
	File string            // the file that was read; empty if there was none
	From map[string]Origin // by key
	read *fileReader       // that has read File
	text []byte            // of File if it is not on this machine's disk; see LoadText
	set  []string          // the values of --set
}

// Load reads a file, unless its name is "", together with the other sources: flags have
// precedence over the environment, that over the file, that over the defaults. All problems with
// values are one *Refusal.
func (x *Schema) Load(file string, set []string) (*Config, error) {
	return x.LoadText(file, nil, set)
}

// LoadText is Load of a file whose text a program brings with it, under a name. Without a text it reads the file.
func (x *Schema) LoadText(name string, text []byte, set []string) (*Config, error) {
	c, problems, err := x.readText(name, text, set)
	if err != nil {
		return nil, err
	}
	return c, c.Refuse(append(problems, c.invalid(problems)...))
}

// Read reads without validating. The problems are unknown keys and values of the wrong type,
// which stay zero.
func (x *Schema) Read(file string, set []string) (*Config, []Problem, error) {
	return x.readText(file, nil, set)
}

func (x *Schema) readText(file string, text []byte, set []string) (*Config, []Problem, error) {
	flags, err := parseSet(set)
	if err != nil {
		return nil, nil, err
	}
	r, err := x.readFile(file, text)
	if err != nil {
		return nil, nil, err
	}
	c := &Config{Settings: Settings{schema: x}, File: file, From: make(map[string]Origin), read: r, text: text, set: set}
	problems := slices.Concat(r.problems, x.strangeKeys(r.values, FromFile, r.where), x.strangeEnv(), x.strangeKeys(flags, FromFlag, FromFlag.setter))
	known := len(problems)
	for _, k := range x.keys {
		value, inFile := r.values[k.Name]
		given, from := os.Getenv(EnvName(k.Name)), FromFile // a variable that is empty sets nothing
		flag, inFlags := flags[k.Name].(string)
		switch {
		case inFlags:
			given, from = flag, FromFlag
		case given != "":
			from = FromEnv
		case !inFile && k.Required():
			from = FromNobody
		case !inFile:
			given, from = k.Default, FromDefault
		}
		if from != FromFile && from != FromNobody {
			value = parseValue(c.Value(k.Name).Type(), given)
		}
		c.From[k.Name] = from
		if p := c.take(k, value); p != nil && !named(problems[:known], k.Name) {
			p.From = c.setter(k.Name)
			problems = append(problems, *p)
		}
	}
	c.suitProtocol()
	c.suitFeatures()
	c.followNetwork()
	return c, problems, nil
}

// take sets a setting to a value as YAML reads it.
func (c *Config) take(k Key, value any) *Problem {
	to := reflect.New(c.Value(k.Name).Type()).Elem()
	item, ok := decode(value, to)
	if !ok {
		return &Problem{Key: k.Name, Value: Short(ValueText(value)), Reason: "want " + k.Want() + item}
	}
	c.put(k, to)
	return nil
}

// setter names where the value of a key was set; it is empty for a default.
func (c *Config) setter(key string) string {
	if c.From[key] == FromFile {
		return c.read.where(key)
	}
	return c.From[key].setter(key)
}

// suitProtocol takes what the protocol recommends in place of the defaults of a learner and a mechanism.
func (c *Config) suitProtocol() {
	r := protocol.Recommend(c.ProtocolParams())
	if c.From[learnerKey] == FromDefault && r.Learner != "" {
		c.Learner.Name = r.Learner
	}
	if c.From[mechanismKey] == FromDefault {
		if c.Privacy.Mechanism = r.Pure.String(); c.Privacy.Delta > 0 {
			c.Privacy.Mechanism = r.Gaussian.String()
		}
	}
}

// followNetwork takes the length of a round from the network file of a live peer, and the settings that suit the
// protocol from a signed one. It does so if the file can be read and nothing else sets them.
func (c *Config) followNetwork() {
	if c.Mode != Live {
		return
	}
	n, err := ReadNetwork(c.NetworkPath())
	if err != nil {
		return
	}
	if c.From[everyKey] == FromDefault {
		c.Rounds.Every, c.From[everyKey] = n.Every, FromNetwork
	}
	for _, x := range n.Settings { // none unless the file is signed
		if c.From[x.Key] != FromDefault {
			continue
		}
		switch x.Key {
		case learnerKey:
			c.Learner.Name, c.From[x.Key] = x.Value, FromNetwork
		case mechanismKey:
			c.Privacy.Mechanism, c.From[x.Key] = x.Value, FromNetwork
		}
	}
}

// Reload reads the sources of c again, with more values of --set.
func (c *Config) Reload(set []string) (*Config, error) {
	return c.Schema().LoadText(c.File, c.text, slices.Concat(c.set, set))
}

// Given returns the values of --set, also as text by key. It checks them as far as possible:
// missing values refuse nothing.
func (x *Schema) Given(set []string) (*Config, map[string]string, error) {
	c, problems, err := x.Read("", set)
	if err != nil {
		return nil, nil, err
	}
	problems = append(problems, slices.DeleteFunc(c.invalid(problems), func(p Problem) bool { return c.From[p.Key] != FromFlag })...)
	values := make(map[string]string)
	for _, k := range x.keys {
		if c.From[k.Name] == FromFlag {
			values[k.Name] = ValueText(c.Value(k.Name).Interface())
		}
	}
	return c, values, c.Refuse(problems)
}

// invalid returns what Validate finds in addition to known problems.
func (c *Config) invalid(known []Problem) []Problem {
	bad := make(map[string]bool) // never ranged over
	for _, k := range c.Schema().keys {
		bad[k.Name] = named(known, k.Name)
	}
	problems := c.validate(bad)
	for i := range problems {
		p := &problems[i]
		p.From = c.setter(p.Key)
		if c.From[p.Key] == FromNobody {
			p.Value, p.Reason = "", "missing: "+p.Reason
		}
	}
	return problems
}

// Refuse returns the problems as an error, or nil if there are none.
func (c *Config) Refuse(problems []Problem) error {
	if len(problems) == 0 {
		return nil
	}
	c.Schema().sort(problems)
	what := "configuration " + c.File
	if c.File == "" {
		what = "configuration without a file (name one with --config)"
	}
	return &Refusal{what, problems}
}

// suitFeatures takes how many numbers the learner takes from the names of features, where nothing else sets it.
func (c *Config) suitFeatures() {
	n := c.Names()
	features, context, by, ok := c.inputKeys()
	if n == nil || !ok {
		return
	}
	in := n.Inputs(max(1, len(c.Arms)))
	follow := func(key string, value any) {
		if k, _ := c.Schema().Find(key); c.From[key] == FromDefault || c.Value(key).IsZero() {
			c.put(k, reflect.ValueOf(value))
		}
	}
	follow(features, in.Action)
	follow(context, in.Context)
	if in.Context > 0 {
		follow(by, in.Map)
	}
}

// Differences returns the keys whose values differ in o, in the order of the schema.
func (c *Config) Differences(o *Config) (keys []string) {
	for _, k := range c.Schema().keys {
		if !reflect.DeepEqual(c.Value(k.Name).Interface(), o.Value(k.Name).Interface()) {
			keys = append(keys, k.Name)
		}
	}
	return keys
}
