package config

import (
	"math/rand/v2"

	"peerd.dev/bandit"
	"peerd.dev/node"
)

// A Laboratory has simulated worlds, which a site has not.
type Laboratory interface {
	// Simulated returns what a site must know of the chosen world.
	Simulated(s *Settings) Simulated
	// Open opens the chosen world for a number of sites.
	Open(s *Settings, sites int) (Sites, error)
	// Amend changes what a site does where papers print something else.
	Amend(s *Settings, spec *node.Spec)
	// Check returns in what the chosen world does not suit a network of a number of peers, or with 0 any network or the
	// testnet. It passes over keys that are bad, and may mark others.
	Check(s *Settings, peers int, bad map[string]bool) []Problem
}

// Simulated says in what a laboratory concerns the promise of a site. Without a laboratory it is zero; for an
// application it has Peers and Traffic alone.
type Simulated struct {
	// Peers is the number of peers where no network file says it.
	Peers int
	// Traffic has the shares of rounds with a decision, which sites take in turn.
	Traffic []float64
	// Records is the greatest number of records of one person that the world deals to sites; 0 if
	// rewards are no person's.
	Records uint64
	// Unclipped says that rewards can be outside of [0, 1], for which no budget pays in mode live.
	Unclipped bool
	// Spread is the setting by which one person may have records at several sites, and Gather the
	// one that keeps them at one; empty if that cannot happen.
	Spread, Gather string
}

// Sites are the sites of an open simulated world.
type Sites interface {
	// Data is the hash of the records that are dealt to sites; empty if there are none.
	Data() string
	// World returns what a site plays, with coins of its own.
	World(site int, coins *rand.ChaCha8) (bandit.World, error)
}
