package world

import "math/bits"

// arms is the number of arms of the diabetes data. Paper 004 counts them from 1.
const arms = 5

// nothing is the arm of those who got none of the drugs.
const nothing = 4

// none marks a drug that belongs to no arm.
const none = -1

// drug is a medication column of the diabetes data.
type drug struct {
	column string
	arm    int // that a steady dose of it is
}

// drugs returns the 23 medications and the arms that Zhu, Zhu, Liu and Liu 2021,
// section 5.2, make of them. The file spells sitagliptin citoglipton.
//
// The paper names tolazamide among the drugs but puts it in no arm. Here, too, a
// steady dose of it is no arm, and keeps its row out of "no drug at all": 39 rows
// of 101,766 have it. In the third arm or the fourth it would move that arm's
// mean by .0002.
func drugs() [23]drug {
	return [23]drug{
		{"insulin", 0},
		{"metformin", 1},
		{"repaglinide", 2},
		{"glipizide", 2},
		{"rosiglitazone", 2},
		{"acarbose", 2},
		{"miglitol", 2},
		{"troglitazone", 2},
		{"nateglinide", 3},
		{"chlorpropamide", 3},
		{"glyburide", 3},
		{"examide", 3},
		{"glimepiride", 3},
		{"acetohexamide", 3},
		{"tolbutamide", 3},
		{"pioglitazone", 3},
		{"citoglipton", 3},
		{"glyburide-metformin", 3},
		{"glipizide-metformin", 3},
		{"glimepiride-pioglitazone", 3},
		{"metformin-rosiglitazone", 3},
		{"metformin-pioglitazone", 3},
		{"tolazamide", none},
	}
}

// armset is a set of arms, bit a for arm a.
type armset uint8

// dose adds to s what a cell in the column of d says; given is whether the drug
// was given at all. ok is false if the cell holds none of the four known words.
func (s *armset) dose(d drug, cell string) (given, ok bool) {
	switch cell {
	case "No":
		return false, true
	case "Steady":
		if d.arm != none {
			*s |= 1 << d.arm
		}
		return true, true
	case "Up", "Down":
		return true, true
	default:
		return false, false
	}
}

// first returns the lowest arm of s, which must have one.
func (s armset) first() int { return bits.TrailingZeros8(uint8(s)) }

// size returns the number of arms in s.
func (s armset) size() int { return bits.OnesCount8(uint8(s)) }
