package network

import (
	"encoding/json"
	"slices"
)

func placeOfPromise(p *Promise) (int, uint64) { return p.Place, p.Round }

func placeOfMark(m *Mark) (int, uint64) { return m.Place, m.Round }

// find returns the element of a place, or nil.
func find[T any](all []T, place int, of func(*T) (int, uint64)) *T {
	for i := range all {
		if p, _ := of(&all[i]); p == place {
			return &all[i]
		}
	}
	return nil
}

// put returns all with x instead of the element with the same place.
func put[T any](all []T, x T, of func(*T) (int, uint64)) []T {
	place, _ := of(&x)
	rest := make([]T, 0, len(all)+1)
	for i := range all {
		if p, _ := of(&all[i]); p != place {
			rest = append(rest, all[i])
		}
	}
	rest = append(rest, x)
	slices.SortFunc(rest, func(a, b T) int {
		p, _ := of(&a)
		q, _ := of(&b)
		return p - q
	})
	return rest
}

// newer returns all with the ones of theirs that are of later rounds and pass a check, and the last
// error of the check.
func newer[T any](all, theirs []T, of func(*T) (int, uint64), check func(*T) error) (_ []T, wrong error) {
	for i := range theirs {
		place, round := of(&theirs[i])
		if old := find(all, place, of); old != nil {
			if _, was := of(old); round <= was {
				continue
			}
		}
		if err := check(&theirs[i]); err != nil {
			wrong = err
			continue
		}
		all = put(all, theirs[i], of)
	}
	return all, wrong
}

// roundOf returns the newest round in which a signer has signed; 0 for none.
func roundOf(a *Agreement, place int) (round uint64) {
	if p := find(a.Promises, place, placeOfPromise); p != nil {
		round = p.Round
	}
	for _, all := range [][]Mark{a.Accepts, a.Votes} {
		if m := find(all, place, placeOfMark); m != nil {
			round = max(round, m.Round)
		}
	}
	return round
}

// wishOf returns the wish of an author, or nil.
func wishOf(a *Agreement, author int) *Wish {
	for i := range a.Wishes {
		if a.Wishes[i].Author == author {
			return &a.Wishes[i]
		}
	}
	return nil
}

// putWish replaces the wish of an author. Approvals of another one end.
func (a *Agreement) putWish(w Wish) {
	if old := wishOf(a, w.Author); old != nil && (old.Number != w.Number || text(old.Change) != text(w.Change)) {
		a.Approvals = slices.DeleteFunc(slices.Clone(a.Approvals), func(x Approval) bool { return x.Author == w.Author })
	}
	a.Wishes = slices.DeleteFunc(slices.Clone(a.Wishes), func(old Wish) bool { return old.Author == w.Author })
	a.Wishes = append(a.Wishes, w)
	slices.SortFunc(a.Wishes, func(x, y Wish) int { return x.Author - y.Author })
}

// approves reports whether a signer has approved the wish of an author.
func (a *Agreement) approves(place, author int) bool {
	return slices.ContainsFunc(a.Approvals, func(x Approval) bool { return x.Place == place && x.Author == author })
}

// approvals returns the signatures of signers that have approved a wish.
func (a *Agreement) approvals(w *Wish) (all []Signature) {
	for _, x := range a.Approvals {
		if x.Author == w.Author && x.Number == w.Number {
			all = append(all, Signature{x.Place, x.Sig})
		}
	}
	return all
}

// sealed returns the motions that can be proposed, by author.
func (a *Agreement) sealed(t *terms) (all []Sealed) {
	for i := range a.Wishes {
		w := &a.Wishes[i]
		if by := a.approvals(w); w.Change != nil && len(w.Seal) > 0 && len(by) >= t.quorum {
			all = append(all, Sealed{Motion: *w.motion(), Number: w.Number, Approvals: by[:t.quorum]})
		}
	}
	return all
}

// text returns x as text; equal changes have equal texts.
func text(x any) string { return string(encode(x)) }

func encode(x any) []byte {
	b, err := json.Marshal(x)
	if err != nil {
		panic("network: " + err.Error()) // a document that was checked can be encoded
	}
	return b
}
