package dp

// running is one stream's mechanism: it turns leaves into releases. Every mechanism
// embeds an [intake], which takes the records in and gives it add, due and closed; the
// rest is its own. It draws all its noise in close, once, and keeps what it drew, so
// that nothing but what a Leaf holds was ever drawn:
//
//   - What close draws is Leaf.Node: exact numbers, plus noise from the [Source] unless
//     the numbers are given because an earlier life drew them. The numbers must follow
//     from the records by integer arithmetic alone, so that neighbouring records change
//     them by no more than the charge paid for. A mechanism that needs more than sums, such
//     as decaying buffers, keeps them as integers with enough bits behind the point, and
//     bounds in its slack what rounding can add.
//   - Leaf.Sum follows from nodes alone. It may be computed in floats whose result is the
//     same on every machine (no fused multiplication and addition: wrap every product in
//     float64()), and is rounded to the grid.
//
// One mechanism, [kary], also keeps noise that is in no Leaf alone; after a replay it draws
// that noise anew by its law given the leaves.
//
// Saving and loading keep everything: a loaded stream goes on as if it had never been
// saved. Load must refuse what no stream can be.
type running interface {
	// add takes a record into the open leaf, or refuses it and takes in nothing.
	add(x []float64) error
	// due refuses every leaf but the next one.
	due(k uint64) error
	// closed returns how many leaves are closed or given up.
	closed() uint64
	// close ends the next leaf, which must be due, and writes what that releases. given is
	// nil, or what an earlier life drew for this leaf, of the length that draws says.
	close(src *Source, given []int64, out *Leaf)
	// draws returns how many values closing the next leaf draws.
	draws() int
	// skip gives up the leaves up to k, and as many more as it must; see [Door.Skip].
	skip(k uint64)
	// append and read encode and decode everything that [intake] does not. read fills a
	// new stream.
	append(b []byte) []byte
	read(r *reader, c *Charge)
	// in returns the stream's intake.
	in() *intake
}
