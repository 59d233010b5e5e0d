package dp

import "fmt"

// Adjacency says how neighbouring histories differ.
type Adjacency uint8

// The adjacencies.
const (
	// ReplaceOne replaces all records of one user by others.
	ReplaceOne Adjacency = iota
	// ZeroOut replaces all records of one user by records that add nothing. Compared with
	// replacement, it is worth half: ε doubles, and so does μ.
	ZeroOut
	// AddOrRemove omits all records of one user, so that there are fewer. It is for Counted
	// records, whose number is not visible.
	AddOrRemove
)

// String returns the name that configurations use.
func (a Adjacency) String() string {
	switch a {
	case ReplaceOne:
		return "replace-one"
	case ZeroOut:
		return "zero-out"
	case AddOrRemove:
		return "add-or-remove"
	}
	return fmt.Sprintf("Adjacency(%d)", uint8(a))
}
