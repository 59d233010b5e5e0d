package config

import (
	"slices"
	"sync"

	"peerd.dev/bandit"
	"peerd.dev/protocol/table"
)

// Site returns the schema of a site, which has no simulated worlds.
func Site() *Schema {
	standard.once.Do(func() {
		standard.schema = newSchema(Extension{
			Learners: bandit.Table(), Protocols: table.Protocols(),
			Constraints: slices.Concat(privacyConstraints(), protocolConstraints(), actionConstraints(), policyConstraints(), featureConstraints(), rewardConstraints()),
		})
	})
	return standard.schema
}

//nolint:gochecknoglobals // made once, then only read
var standard struct { // no OnceValue, since constraints ask settings, whose schema may be this one
	once   sync.Once
	schema *Schema
}
