package client

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"slices"
)

// A draw is an action with its propensity.
type draw struct {
	action     string
	propensity float64
}

// draw draws the action of a decision, as every language and the peer do it; false if no action is left. Without named all
// actions are on offer.
func (t *Table) draw(id string, exclude []string, named []Action) (draw, bool) {
	var offered []Weight
	var total int64
	for _, a := range t.Actions {
		in := named == nil || slices.ContainsFunc(named, func(n Action) bool { return n.ID == a.Name })
		if in && !slices.Contains(exclude, a.Name) {
			offered = append(offered, a)
			total += a.Weight
		}
	}
	if len(offered) == 0 {
		return draw{}, false
	}
	if total == 0 {
		for i := range offered {
			offered[i].Weight = 1
		}
		total = int64(len(offered))
	}
	h := sha256.Sum256([]byte(t.Salt + "/" + id))
	at := int64(binary.BigEndian.Uint64(h[:8])>>16) % total
	i := slices.IndexFunc(offered, func(a Weight) bool { at -= a.Weight; return at < 0 })
	return draw{offered[i].Name, float64(offered[i].Weight) / float64(total)}, true
}

// check refuses what is no table.
func (t *Table) check() error {
	var total int64
	for _, a := range t.Actions {
		if a.Weight < 0 || a.Weight > 1<<20 {
			return errors.New("a weight of the table is wrong")
		}
		total += a.Weight
	}
	if t.Version == "" || total > 1<<20 {
		return errors.New("the table is wrong")
	}
	return nil
}
