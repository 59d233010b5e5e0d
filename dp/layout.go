package dp

// layout is what a mechanism over some number of leaves releases: the one place that says
// so, for the [Curator] that draws and for those who check or predict what was charged.
type layout interface {
	// node is what closing leaf t draws.
	node(charged Noise, t uint64) node
	// sum is the noise in the t-th sum, with the charged noise.
	sum(charged Noise, t uint64) Noise
	// open returns the mechanism of a stream of sums of width numbers, which has closed no leaf.
	open(width int, a *arena) streamMechanism
}

// node is what the closing of one leaf draws: the leaves it is about, how many values
// for every sum, and their noise.
type node struct {
	span  Span
	times int
	noise Noise
}
