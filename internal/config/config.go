// Package config is the configuration language of peerd: settings and their schema, the files,
// variables and flags that they come from, the rules that refuse them, what they mean, and the
// network file. Its errors have kinds, which determine exit codes.
package config

import (
	"reflect"
	"slices"

	"github.com/spf13/viper"
)

// This file is the only one that knows viper.

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
	v := x.layers(flags, r.values)
	problems := slices.Concat(r.problems, x.strangeKeys(r.values, FromFile, r.where), x.strangeEnv(), x.strangeKeys(flags, FromFlag, FromFlag.setter))
	known := len(problems)
	for _, k := range x.keys {
		var value any
		switch got := v.Get(k.Name).(type) {
		case nil:
			c.From[k.Name] = FromNobody
		case string:
			value, c.From[k.Name] = parseValue(c.Value(k.Name).Type(), got), FromEnv
		case layered:
			value, c.From[k.Name] = got.value, got.from
		}
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

// A layered value is one of a source, as YAML reads it.
type layered struct {
	value any
	from  Origin
}

// layers returns the values of all sources, of which the one with the highest precedence counts: a layered one, or the
// text of a variable that is not empty.
func (x *Schema) layers(flags, file map[string]any) *viper.Viper {
	v, zero := viper.New(), x.Zero()
	inFile := make(map[string]any)
	for _, k := range x.keys {
		typ := zero.Value(k.Name).Type()
		if !k.Required() {
			v.SetDefault(k.Name, layered{parseValue(typ, k.Default), FromDefault})
		}
		if value, ok := file[k.Name]; ok {
			inFile[k.Name] = layered{value, FromFile}
		}
		_ = v.BindEnv(k.Name, EnvName(k.Name)) // fails only without a name
		if text, ok := flags[k.Name].(string); ok {
			v.Set(k.Name, layered{parseValue(typ, text), FromFlag})
		}
	}
	_ = v.MergeConfigMap(inFile) // never fails
	return v
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

// Differences returns the keys whose values differ in o, in the order of the schema.
func (c *Config) Differences(o *Config) (keys []string) {
	for _, k := range c.Schema().keys {
		if !reflect.DeepEqual(c.Value(k.Name).Interface(), o.Value(k.Name).Interface()) {
			keys = append(keys, k.Name)
		}
	}
	return keys
}
