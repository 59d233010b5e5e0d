package shuffling

import (
	"fmt"
	"math"
	"math/bits"

	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/dp/amplification"
)

// Tree returns the reports of a number of silos over a number of batches, as the analyzer receives them.
func (p Params) Tree(silos int, leaves uint64) amplification.Tree {
	return amplification.Tree{Silos: silos, Batch: p.Every, Leaves: leaves}
}

// MuOfNode returns the μ of a record in one report, from the loss of all its reports.
func MuOfNode(c *dp.Charge) account.Mu {
	return c.Loss.Square.Mu() / account.Mu(math.Sqrt(float64(bits.Len64(c.Leaves))))
}

// Promises implements [protocol.Promising]; see docs/lab/proofs/shuffle.md.
func (p Params) Promises(c dp.Charge, delta float64) (list []string) {
	if p.Shuffler == 0 || c.Loss.Square == 0 || delta == 0 {
		return nil
	}
	mu := c.Loss.Square.Mu()
	seen, err := (mu / account.Mu(math.Sqrt(float64(p.Least)))).Epsilon(delta)
	alike := ""
	if p.Sees == Reports {
		alike = fmt.Sprintf(" and have equally many records, at most %d in a batch", p.Every)
		seen, err = p.Tree(p.Least, c.Leaves).Epsilon(MuOfNode(&c), delta)
	}
	if err == nil && (p.Sees == Sum || c.RecordsPerUser == 1 && c.Adjacency == dp.ReplaceOne) { // else the proof says nothing of reports
		list = append(list, fmt.Sprintf("against the analyzer: ε = %.4g at the same δ, if %d sites or more whose reports go together follow the protocol%s, and the shuffler does, and it is shown no openings of their ledgers", seen, p.Least, alike))
	}
	list = append(list, "against the shuffler: it reads no number, if X25519 and ChaCha20-Poly1305 are not broken, and neither the analyzer nor who has openings of ledgers helps it")
	if both, err := mu.Epsilon(delta); err == nil {
		list = append(list, fmt.Sprintf("against shuffler, analyzer and all other sites together: ε = %.4g at the same δ, by the noise of this site alone", both))
	}
	return list
}
