package site

// readLost treats the watermark of a store that has lost something like a checkpoint that a peer
// remembers of this ledger: the store is an earlier state.
func (s *Site) readLost() {
	had, lost := s.store.Lost()
	if !lost || had.Batch == 0 {
		return
	}
	x := &rollbackEvidence{Records: had.Records, Head: had.Head}
	if had.Records < s.chain.Next { // the lost writes were not records
		x.Records, x.Head = s.chain.Next, s.chain.Head
	}
	if old := s.blocked.evidence; old != nil {
		x.Fork = old.Fork
		if old.Records > x.Records {
			x.Peer, x.Records, x.Head = old.Peer, old.Records, old.Head
		}
	}
	s.blocked.evidence = x
	s.silent.Store(true)
}

// lostWrites returns how many writes the store lacks, and whether it lacks any; the number is
// 0 if it is not known.
func (s *Site) lostWrites() (n uint64, lost bool) {
	had, lost := s.store.Lost()
	return had.Batch - min(had.Batch, s.store.Mark().Batch), lost
}
