package ledger

import "fmt"

// maxRecords bounds the numbers of records, so that no claim can make them overflow.
const maxRecords = 1 << 62

// A Chain is the end of a ledger, to which records are added. The zero Chain is an
// empty ledger. It is not safe for concurrent use.
type Chain struct {
	Next uint64 // number of the next record; equals the number of records if none was lost
	Head Hash   // of the last line
}

// Resume returns the chain that ends with a line.
func Resume(last []byte) (Chain, error) {
	r, err := ParseLine(last)
	if err != nil {
		return Chain{}, err
	}
	return Chain{r.Seq + 1, HashOf(last)}, nil
}

// Append makes the next record of body and returns its line, without a newline. The caller stores
// the line before it shows any of it. The number of a [Gap] is the greatest of its Number, its
// Claimed and the next number. An error leaves the chain as it was.
func (c *Chain) Append(body Body) ([]byte, error) {
	if _, first := body.(*Genesis); first != (c.Next == 0) {
		return nil, fmt.Errorf("ledger: record %d cannot be of kind %s: a ledger begins with its one genesis", c.Next, body.Kind())
	}
	r := Record{c.number(body), c.Head, body}
	if r.Seq >= maxRecords {
		return nil, fmt.Errorf("ledger: record %d, want less than 2^62", r.Seq)
	}
	line, err := r.Append(nil)
	if err != nil {
		return nil, err
	}
	if len(line) > MaxLine {
		return nil, fmt.Errorf("ledger: a record of %d bytes, at most %d", len(line), MaxLine)
	}
	c.Next, c.Head = r.Seq+1, HashOf(line)
	return line, nil
}

// number returns the least number of the next record. After a gap, numbers continue after those
// that peers remember, so that no number is used twice.
func (c *Chain) number(next Body) uint64 {
	if g, ok := next.(*Gap); ok {
		return max(c.Next, g.Claimed, g.Number)
	}
	return c.Next
}

// Follow checks that a parsed line is the next one and advances the chain.
func (c *Chain) Follow(r *Record, line []byte) error {
	_, gap := r.Body.(*Gap)
	switch want := c.number(r.Body); {
	case r.Seq != want && (!gap || r.Seq < want) || r.Seq >= maxRecords:
		return fmt.Errorf("%w: this is record %d, want record %d", ErrChain, r.Seq, want)
	case r.Prev != c.Head:
		return fmt.Errorf("%w: prev is %v, but the line before has hash %v", ErrChain, r.Prev, c.Head)
	}
	c.Next, c.Head = r.Seq+1, HashOf(line)
	return nil
}
