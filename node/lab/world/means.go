package world

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"peerd.dev/bandit"
)

// Draw names where the means of a world come from.
type Draw string

// The draws.
const (
	Given  Draw = "given"  // they are parameters
	BySite Draw = "sites"  // drawn for every site
	Shared Draw = "shared" // drawn once for all sites
)

// means are the parameters that say what arms pay on average.
type means struct {
	given    [][]float64
	draw     Draw
	instance uint64
	spread   float64 // of sites around shared means

	deviation float64 // normal, of sites around shared means
	groups    int     // of sites with the same means; 0 for none

	odd [][]float64 // rows of a site, an arm, and its mean there, whatever the rest says
}

// apart reports whether the means of sites differ from shared ones.
func (m means) apart() bool { return m.spread > 0 || m.deviation > 0 }

// oddSites returns the sites that odd names, from the least to the greatest.
func (m means) oddSites() []int {
	var all []int
	for _, row := range m.odd {
		all = append(all, int(row[0]))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// arms returns the number of given means a row, 0 where they are drawn.
func (m means) arms() int {
	if len(m.given) == 0 {
		return 0
	}
	return len(m.given[0])
}

// check refuses rows that do not suit the arms and the sites of the world of a name.
func (m means) check(name string, c Config) (field, want string) {
	const key = "means"
	switch {
	case m.spread != 0 && m.draw != Shared:
		return "spread", "0 without draw: shared"
	case m.deviation != 0 && m.draw != Shared:
		return "deviation", "0 without draw: shared"
	case m.groups != 0 && !m.apart():
		return "groups", "0 where sites do not differ"
	case m.checkOdd(c) != "":
		return "odd", m.checkOdd(c)
	case m.draw != Given && len(m.given) > 0:
		return key, fmt.Sprintf("[] with draw: %s", m.draw)
	case m.draw != Given:
		return "", ""
	case len(m.given) == 0:
		return key, fmt.Sprintf("a row of numbers as long as arms with world.kind: %s", name)
	}
	for i, row := range m.given {
		if len(row) != c.Arms {
			return key, fmt.Sprintf("%d numbers a row, as many as arms; row %d has %d", c.Arms, i, len(row))
		}
	}
	if n := len(m.given); c.Sites > 0 && n > c.Sites {
		return key, fmt.Sprintf("at most %d rows, one for each site, not %d", c.Sites, n)
	}
	return "", ""
}

// checkOdd refuses odd sites and arms that do not exist: what is wanted, or empty if all is well.
func (m means) checkOdd(c Config) (want string) {
	sites, site := c.bound()
	for i, row := range m.odd {
		if len(row) != 3 || !index(row[0], sites) || !index(row[1], c.Arms) || !probability(row[2]) {
			return fmt.Sprintf("rows of %s, an arm below %d and a mean from 0 to 1; see row %d", site, c.Arms, i)
		}
	}
	return ""
}

// checkProbabilities is check for means that are probabilities.
func (m means) checkProbabilities(name string, c Config) (field, want string) {
	if field, want = m.check(name, c); field != "" {
		return field, want
	}
	for i, row := range m.given {
		if slices.ContainsFunc(row, func(x float64) bool { return !probability(x) }) {
			return "means", fmt.Sprintf("numbers from 0 to 1 with world.kind: %s; see row %d", name, i)
		}
	}
	return "", ""
}

// bySite returns the means by site and arm. Rows of several sites may be one slice.
func (m means) bySite(name string, c Config, run *rand.Rand) ([][]float64, error) {
	rows, err := m.ordinary(name, c, run)
	if err != nil {
		return nil, err
	}
	for _, site := range m.oddSites() {
		rows[site] = slices.Clone(rows[site]) // which others may share
	}
	for _, row := range m.odd {
		rows[int(row[0])][int(row[1])] = row[2]
	}
	return rows, nil
}

// ordinary returns the means by site and arm without odd ones. Sites take the given rows in turn, and
// rows of several sites may be one slice.
func (m means) ordinary(name string, c Config, run *rand.Rand) ([][]float64, error) {
	switch {
	case m.draw == Given:
		rows := make([][]float64, c.Sites)
		for i := range rows {
			rows[i] = m.given[i%len(m.given)]
		}
		return rows, nil
	case m.instance > 0:
		run = c.Instance(m.instance)
	case run == nil:
		return nil, &ParamError{
			"world." + name + ".instance",
			"0 draws means for every run of an experiment; want a number from 1, the same for all peers",
		}
	}
	rows := drawn(c.Sites, c.Arms, m.draw == Shared, run)
	if m.apart() {
		m.scatter(rows, run)
	}
	return rows, nil
}

// scatter moves the mean of every arm, no farther than to 0 or 1: by up to
// spread, uniformly, and by a normal number. Sites of a group get the same means.
func (m means) scatter(rows [][]float64, rng *rand.Rand) {
	for i := range rows {
		if m.groups > 0 && i >= m.groups {
			rows[i] = rows[i-m.groups]
			continue
		}
		rows[i] = slices.Clone(rows[i])
		for k, x := range rows[i] {
			if m.spread > 0 {
				x += m.spread * (2*rng.Float64() - 1)
			}
			if m.deviation > 0 {
				x += m.deviation * rng.NormFloat64()
			}
			rows[i][k] = min(max(x, 0), 1)
		}
	}
}

// drawn returns the means of arms at sites, drawn uniformly from [0, 1) as in section
// 5.1 of Zhu, Zhu, Liu and Liu 2021: by site and arm, each independently of the
// others, or, if shared, once for all sites. The best arm is then the one whose mean
// over sites is the greatest, and single sites prefer others.
func drawn(sites, arms int, shared bool, rng *rand.Rand) [][]float64 {
	rows := make([][]float64, sites)
	for i := range rows {
		if shared && i > 0 {
			rows[i] = rows[0]
			continue
		}
		rows[i] = make([]float64, arms)
		for k := range rows[i] {
			rows[i][k] = rng.Float64()
		}
	}
	return rows
}

// A payer is a world whose arms have means.
type payer interface {
	bandit.World
	Means() []float64
	judge(gap []float64)
}

// meanSource is a Source of payers.
type meanSource struct {
	name   string
	config Config
	means  means
	binary bool                                         // rewards are 0 or 1
	site   func(row []float64, src *rand.ChaCha8) payer // with a row of means
}

// Sites implements [Source].
func (s *meanSource) Sites(run *rand.Rand) (*Sites, error) {
	rows, err := s.means.bySite(s.name, s.config, run)
	if err != nil {
		return nil, err
	}
	paid := make([][]float64, len(rows))
	for i, row := range rows {
		paid[i] = s.site(row, nil).Means() // without random numbers, since it is never played
	}
	gap := gaps(paid)
	return &Sites{Means: paid, Binary: s.binary, World: func(i int, src *rand.ChaCha8) (bandit.World, error) {
		w := s.site(rows[i], src)
		w.judge(gap)
		return w, nil
	}}, nil
}

// About implements [Source].
func (s *meanSource) About() string { return "" }

// Data implements [Source].
func (s *meanSource) Data() string { return "" }
