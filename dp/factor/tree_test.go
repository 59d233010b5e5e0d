package factor

import "testing"

// TestTheHybridIsPaidForEveryLeaf counts how many increments and nodes every leaf lies in.
func TestTheHybridIsPaidForEveryLeaf(t *testing.T) {
	const n = 300
	var (
		increments [n + 1]int
		nodes      [n + 1]int
	)
	for k := uint64(1); k <= n; k++ {
		block, offset := HybridBlock(k)
		if offset == 0 {
			for i := k/2 + 1; i <= k; i++ {
				increments[i]++
			}
			continue
		}
		for i := offset&(offset-1) + 1; i <= offset; i++ {
			nodes[1<<block+i]++
		}
	}
	for i := uint64(1); i <= n; i++ {
		block, _ := HybridBlock(i)
		if increments[i] > 1 || i <= 256 && increments[i] != 1 {
			t.Errorf("leaf %d lies in %d increments", i, increments[i])
		}
		if nodes[i] > HybridLevels(block) {
			t.Errorf("leaf %d lies in %d nodes, %d are paid for", i, nodes[i], HybridLevels(block))
		}
		if i&(i-1) == 0 && block > 0 && block < 8 && nodes[i+1] != HybridLevels(block) {
			t.Errorf("block %d: the first leaf lies in %d nodes, %d are paid for", block, nodes[i+1], HybridLevels(block))
		}
	}
}
