package world

import "math/rand/v2"

// Draw returns the means of arms at sites, drawn uniformly from [0, 1) as in section
// 5.1 of Zhu, Zhu, Liu and Liu 2021: by site and arm, each independently of the
// others, or, if shared, once for all sites. The best arm is then the one whose mean
// over sites is the greatest, and single sites prefer others.
func Draw(sites, arms int, shared bool, rng *rand.Rand) [][]float64 {
	means := make([][]float64, sites)
	for i := range means {
		if shared && i > 0 {
			means[i] = means[0]
			continue
		}
		means[i] = make([]float64, arms)
		for k := range means[i] {
			means[i][k] = rng.Float64()
		}
	}
	return means
}
