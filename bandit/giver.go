package bandit

// A Giver is the rule by which a site gives decisions to its network. In the end it wants none.
type Giver interface {
	// Wants reports whether the next decision is to be given. It follows from the Belief and changes nothing.
	Wants(b *Belief) bool
	// First returns the number of records in the first batch; 0 if none is wanted. Each later batch is as large as all before it.
	First() uint64
	// Most returns the most records that a site which follows the rule has released of a part.
	Most() float64
}

// A LinearGift is the number of decisions that a site gives where choices follow from features: its first ones, since any
// action is then as good as another, and no more. With noise at each site, later ones cost more than they teach.
type LinearGift uint64

// NewLinearGift returns three decisions for each of d features.
func NewLinearGift(d int) LinearGift { return LinearGift(3 * d) }

// First implements [Giver].
func (g LinearGift) First() uint64 { return uint64(g) }

// Most implements [Giver].
func (g LinearGift) Most() float64 { return float64(g) }

// Wants implements [Giver].
func (g LinearGift) Wants(b *Belief) bool { return b.Pulls[0] < uint64(g) }
