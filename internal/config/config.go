// Package config is the configuration language of peerd: settings and their schema, the files,
// variables and flags that they come from, the rules that refuse them, what they mean, and the
// network file. Its errors have kinds, which determine exit codes.
package config

import (
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/go-viper/mapstructure/v2"
	"github.com/spf13/viper"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/protocol"
)

// A Config is Settings with where they came from. This file is the only one that
// knows viper.
type Config struct {
	Settings
	File string            // the file that was read; empty if there was none
	From map[string]Origin // by key
	set  []string          // the values of --set
}

// Load reads a file, unless its name is "", together with the other sources: flags have
// precedence over the environment, that over the file, that over the defaults. All problems with
// values are one *Refusal.
func (x *Schema) Load(file string, set []string) (*Config, error) {
	c, problems, err := x.Read(file, set)
	if err != nil {
		return nil, err
	}
	return c, c.Refuse(append(problems, c.invalid(problems)...))
}

// Read reads without validating. The problems are unknown keys and values of the wrong type,
// which stay zero.
func (x *Schema) Read(file string, set []string) (*Config, []Problem, error) {
	c := &Config{Settings: Settings{schema: x}, File: file, From: make(map[string]Origin), set: set}
	flags, err := parseSet(set)
	if err != nil {
		return nil, nil, err
	}
	inFile, unclear, err := x.readFile(file)
	if err != nil {
		return nil, nil, err
	}
	v := viper.New()
	var misfits []Problem
	for _, k := range x.keys {
		var value any
		value, c.From[k.Name] = c.layer(k, flags, inFile)
		switch {
		case value == nil && k.block == nil:
		case value == nil: // an empty value is not a default
			c.set1(k, reflect.Zero(c.Value(k.Name).Type()))
		case k.block == nil:
			v.Set(k.Name, value)
		default:
			if p := c.decodeBlock(k, value); p != nil {
				misfits = append(misfits, *p)
			}
		}
	}
	problems := slices.Concat(unclear, x.strangeKeys(inFile, FromFile), x.strangeEnv(), x.strangeKeys(flags, FromFlag), misfits)
	problems = append(problems, c.decode(v, problems)...)
	c.followNetwork()
	c.suitProtocol()
	return c, problems, nil
}

// suitProtocol takes the tree mechanism if none is set and the protocol sends running sums, which the
// default mechanism does not release. It takes a learner of one best arm for all sites if none is set
// and the protocol keeps no sites apart, which the default learner weighs.
func (c *Config) suitProtocol() {
	if c.From["learner.name"] == FromDefault && !protocol.TraitsOf(c.ProtocolParams()).Sites {
		c.Learner.Name = bandit.ThompsonParams{}.Words().Name
	}
	if c.From["privacy.mechanism"] == FromDefault && !protocol.Suits(c.ProtocolParams(), dp.EachLaplace) {
		c.Privacy.Mechanism = dp.Tree.String()
	}
}

// followNetwork takes the length of a round from the network file of a live peer, if the file can
// be read and nothing else sets it.
func (c *Config) followNetwork() {
	const key = "rounds.every"
	if c.Mode != Live || c.From[key] != FromDefault {
		return
	}
	if n, err := ReadNetwork(c.NetworkPath()); err == nil {
		c.Rounds.Every, c.From[key] = n.Every, FromNetwork
	}
}

// Reload reads the sources of c again, with more values of --set.
func (c *Config) Reload(set []string) (*Config, error) {
	return c.Schema().Load(c.File, slices.Concat(c.set, set))
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

// layer returns the value of k with the highest precedence, nil if there is none, and its origin.
func (c *Config) layer(k Key, flags, inFile map[string]any) (any, Origin) {
	typ := c.Value(k.Name).Type()
	if text, ok := flags[k.Name]; ok {
		return parseValue(typ, text.(string)), FromFlag
	}
	if text := os.Getenv(EnvName(k.Name)); text != "" {
		return parseValue(typ, text), FromEnv
	}
	if value, ok := inFile[k.Name]; ok {
		return value, FromFile
	}
	if k.Required() {
		return nil, fromNobody
	}
	return parseValue(typ, k.Default), FromDefault
}

// decode fills the Settings. It refuses values of the wrong type, and unknown keys unless they
// are in known.
func (c *Config) decode(v *viper.Viper, known []Problem) []Problem {
	err := v.UnmarshalExact(&c.Settings, func(d *mapstructure.DecoderConfig) {
		d.WeaklyTypedInput = false
		d.TagName = "key"
		d.DecodeHook = mapstructure.DecodeHookFuncValue(convert)
	})
	var problems []Problem
	for _, e := range unjoin(err) {
		k, item, ok := c.Schema().misfit(e)
		switch {
		case !ok && len(known) == 0:
			problems = append(problems, Problem{Key: "configuration", Reason: e.Error()})
		case ok && !named(known, k.Name) && !named(problems, k.Name):
			problems = append(problems, Problem{
				Key: k.Name, Value: short(ValueText(v.Get(k.Name))), Reason: "want " + k.Want() + item,
				From: c.From[k.Name].setter(k.Name),
			})
		}
	}
	return problems
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
		p.From = c.From[p.Key].setter(p.Key)
		if c.From[p.Key] == fromNobody {
			p.Value, p.Reason = "", "missing: "+p.Reason
		}
	}
	return problems
}

// named reports whether a problem names a key or a section around it.
func named(problems []Problem, key string) bool {
	return slices.ContainsFunc(problems, func(p Problem) bool {
		return p.Key == key || strings.HasPrefix(key, p.Key+".")
	})
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
