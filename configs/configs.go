// Package configs has the configurations of this folder as text, so that a program plays them without a clone.
package configs

import "embed"

// Files has every configuration, and the tables of figures and of claims.
//
//go:embed *.yaml figures/*.yaml
var Files embed.FS
