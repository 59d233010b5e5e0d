package config

import (
	"reflect"

	"peerd.dev/protocol"
)

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
