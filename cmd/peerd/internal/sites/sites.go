// Package sites makes the worlds of a network's sites from settings.
package sites

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"peerd.dev/bandit/world"
	"peerd.dev/cmd/peerd/internal/config"
	"peerd.dev/node"
	"peerd.dev/protocol"
)

// Sites makes the worlds of a network's sites.
type Sites struct {
	s       *config.Settings
	N       int
	means   [][]float64      // of bernoulli and gaussian, by site; nil while they are not drawn
	records []*world.Records // of replay, by site
	dropped int              // encounters that the cap left out of replay
	Data    string           // hash of the file that replay was read from
}

// New reads what the worlds of n sites need.
func New(s *config.Settings, n int) (*Sites, error) {
	if s.World.Kind == config.Application {
		return nil, config.Failf(config.ErrRefused, "world.kind: an application pays no simulated rewards; set bernoulli, gaussian or replay")
	}
	t := &Sites{s: s, N: n}
	if s.World.Kind != "replay" {
		return t, t.setMeans()
	}
	all, hash, err := readRecords(s)
	if err != nil {
		return nil, err
	}
	t.Data = hash
	// Only encounters with one arm: then the choice of an arm for an encounter is
	// the hospital's and not ours.
	kept, dropped, err := all.Single().Cap(int(min(s.World.Cap, world.Uncapped)))
	if err != nil {
		return nil, err
	}
	t.dropped = dropped
	if t.records, err = kept.Split(world.Split(s.World.Split), n); err != nil {
		return nil, err
	}
	return t, nil
}

// setMeans takes the means of bernoulli and gaussian over from the settings, or draws
// them if all runs share them.
func (t *Sites) setMeans() error {
	switch w := &t.s.World; {
	case w.Draw != "given" && w.Instance > 0:
		t.draw(node.NewSeed(w.Instance))
	case w.Draw == "given":
		if m := len(w.Means); m != 1 && m != t.N {
			return config.Failf(config.ErrRefused, "world.means: %d rows for %d sites: want one row, or one a site", m, t.N)
		}
		for i := range t.N {
			t.means = append(t.means, w.Means[min(i, len(w.Means)-1)])
		}
	}
	return nil
}

func (t *Sites) draw(seed node.Seed) {
	t.means = world.Draw(t.N, len(t.s.Arms), t.s.World.Draw == "shared", seed.Rand("means"))
}

// In returns the sites in the run of a given number, which draws means that runs do
// not share.
func (t *Sites) In(run uint64) *Sites {
	if t.means != nil || t.records != nil {
		return t
	}
	drawn := *t
	drawn.draw(node.PeerSeed(run, protocol.Everyone))
	return &drawn
}

// Announce says what a replay holds of its patients.
func (t *Sites) Announce(w io.Writer) {
	if t.records == nil {
		return
	}
	rows := 0
	for _, r := range t.records {
		rows += r.Rows()
	}
	_, _ = fmt.Fprintf(w, "replay: %d encounters, %d left out by the cap; one patient is at up to %d of the sites\n",
		rows, t.dropped, world.NewReport(t.records).Reach)
}

// World returns the world of site i.
func (t *Sites) World(i int, rng *rand.Rand) (world.World, error) {
	w := &t.s.World
	if w.Kind == "replay" {
		return world.NewReplay(t.records[i], rng)
	}
	if t.means == nil {
		return nil, config.Failf(config.ErrRefused, "world.instance: 0 draws means for every run of an experiment; want a number from 1, the same for all peers")
	}
	if w.Kind == "bernoulli" {
		return world.NewBernoulli(t.means[i], rng)
	}
	return world.NewGaussian(t.means[i], w.SD, w.Clip, rng)
}

// readRecords reads the diabetes data, and returns the hash of its file, too.
func readRecords(s *config.Settings) (r *world.Records, hash string, err error) {
	dir := s.World.Data
	if dir == "" {
		dir = os.Getenv("PEERD_DATA")
	}
	if dir == "" {
		return nil, "", config.Failf(config.ErrData, "world.data is empty and PEERD_DATA is not set: name the folder that holds diabetes/; scripts/fetch-data.sh gets it")
	}
	name := filepath.Join(dir, "diabetes", "diabetic_data.csv.zip")
	f, err := os.Open(name)
	zipped := !errors.Is(err, os.ErrNotExist)
	if !zipped {
		name = strings.TrimSuffix(name, ".zip")
		f, err = os.Open(name)
	}
	if err != nil {
		return nil, "", config.Failf(config.ErrData, "%w: scripts/fetch-data.sh gets the data", err)
	}
	defer func() { _ = f.Close() }()
	h := sha256.New()
	size, err := io.Copy(h, f)
	if err != nil {
		return nil, "", config.Failf(config.ErrData, "%w", err)
	}
	c := io.NopCloser(io.NewSectionReader(f, 0, size))
	if zipped {
		if c, err = world.OpenZip(f, size); err != nil {
			return nil, "", config.Failf(config.ErrData, "%s: %w", name, err)
		}
		defer func() { _ = c.Close() }()
	}
	if r, err = world.Load(c); err != nil {
		return nil, "", config.Failf(config.ErrData, "%s: %w", name, err)
	}
	return r, hex.EncodeToString(h.Sum(nil)), nil
}

// Names are what tables call the sites.
func Names(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("site-%d", i+1)
	}
	return names
}

// All returns what the arms really pay at each site.
func (t *Sites) All() ([][]float64, error) {
	means := make([][]float64, t.N)
	for i := range means {
		w, err := t.World(i, rand.New(rand.NewPCG(1, uint64(i)))) // the means do not depend on the coins
		if err != nil {
			return nil, err
		}
		means[i] = w.Means()
	}
	return means, nil
}

// Gaps returns by how much each arm falls short of the best one, by the mean over
// sites.
func (t *Sites) Gaps() ([]float64, error) {
	all, err := t.All()
	if err != nil {
		return nil, err
	}
	g := MeanOver(all)
	_, best := ArgMax(g)
	for k := range g {
		g[k] = best - g[k]
	}
	return g, nil
}

// MeanOver returns the mean of rows.
func MeanOver(rows [][]float64) []float64 {
	m := make([]float64, len(rows[0]))
	for _, r := range rows {
		for k, x := range r {
			m[k] += x / float64(len(rows))
		}
	}
	return m
}

// ArgMax returns the first of the greatest numbers.
func ArgMax(xs []float64) (arg int, best float64) {
	for k, x := range xs {
		if k == 0 || x > best {
			arg, best = k, x
		}
	}
	return arg, best
}
