package check

import (
	"fmt"
	"slices"
	"strings"

	"peerd.dev/node/ledger"
)

// checkBuild refuses the ledger of a program that was built with tags, except the tags that Go's
// own packages have: others compile in faults for tests.
func checkBuild(g *ledger.Genesis) error {
	plain := []string{"netgo", "netcgo", "osusergo", "timetzdata"}
	for tag := range strings.SplitSeq(g.Tags, ",") {
		if tag != "" && !slices.Contains(plain, tag) {
			return fmt.Errorf("%w: it has the build tag %s; peers of people run a program without it, from a new folder", ErrBuild, tag)
		}
	}
	return nil
}
