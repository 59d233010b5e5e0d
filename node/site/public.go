package site

// public is what a site tells of itself: as of a step that is durable, since a crash
// could take back what is not, and the noise in it would be drawn anew.
type public struct {
	shown    shown
	round    uint64
	released uint64
	records  uint64 // of the ledger
	left     float64

	pending, decisions uint64
}

// telling returns what there is to tell of the newest step, once it is durable.
func (s *Site) telling() *public {
	return &public{s.shown, s.state.Round, s.state.Released, s.chain.Next, s.state.Left, s.state.Pending, s.state.Decisions}
}
