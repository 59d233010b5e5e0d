package world

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"

	"peerd.dev/bandit"
)

// ReplayParams are the parameters of world replay.
type ReplayParams struct {
	Data  string `want:"path" doc:"Folder of the records; empty takes the one that PEERD_DATA names."`
	Split Split  `want:"contiguous|patient" fixed:"yes" doc:"Records are dealt in order, or each patient to one site."`
	Cap   uint64 `want:"1.." unit:"records" fixed:"yes" doc:"Most records of one patient that take part."`
}

// Words implements [Params].
func (ReplayParams) Words() Words {
	return Words{"replay", "pays what happened to real patients, every record once"}
}

// Traits implements [Traited].
func (p ReplayParams) Traits() Traits {
	t := Traits{Arms: arms, People: People{Records: p.Cap}}
	if p.Split != Patient {
		t.People.Spread = fmt.Sprintf("world.replay.split: %s", p.Split)
		t.People.Gather = "world.replay.split: patient, or world.replay.cap: 1"
	}
	return t
}

// Check implements [Checked].
func (p ReplayParams) Check(c Config) (field, want string) {
	if c.RecordsPerUser > 0 && p.Cap > c.RecordsPerUser {
		return "cap", fmt.Sprintf("at most privacy.records_per_user: %d, or the promise to a patient is false", c.RecordsPerUser)
	}
	return "", ""
}

// replaySource is a Source of worlds of records, which all runs share.
type replaySource struct {
	records []*Records // by site
	means   [][]float64
	gap     []float64
	dropped int    // encounters that the cap left out
	hash    string // of the file
}

// Open implements [Params].
func (p ReplayParams) Open(c Config) (Source, error) {
	all, hash, err := readRecords(c, p.Data)
	if err != nil {
		return nil, err
	}
	// Only encounters with one arm: then the choice of an arm for an encounter is the
	// hospital's and not ours, and the means follow from no draw.
	kept, dropped := all.Single().Cap(int(min(p.Cap, Uncapped)))
	s := &replaySource{dropped: dropped, hash: hash}
	if s.records, err = kept.Split(p.Split, c.Sites); err != nil {
		return nil, err
	}
	for _, site := range s.records {
		means := site.Means()
		for a, m := range means {
			if math.IsNaN(m) {
				return nil, noRecord(a, site)
			}
		}
		s.means = append(s.means, means)
	}
	s.gap = gaps(s.means)
	return s, nil
}

// Sites implements [Source]. All runs have the same means.
func (s *replaySource) Sites(*rand.Rand) (*Sites, error) {
	return &Sites{Means: s.means, World: func(i int, src *rand.ChaCha8) (bandit.World, error) {
		w := NewReplay(s.records[i], src)
		w.judge(s.gap)
		return w, nil
	}}, nil
}

// About says what is replayed of how many patients' encounters.
func (s *replaySource) About() string {
	rows := 0
	for _, r := range s.records {
		rows += r.Rows()
	}
	return fmt.Sprintf("replay: %d encounters, %d left out by the cap; one patient is at up to %d of the sites",
		rows, s.dropped, reach(s.records))
}

// reach returns at how many sites one patient has encounters, at most.
func reach(sites []*Records) (most int) {
	at := make(map[uint64]int) // sites by patient
	for _, s := range sites {
		for patient := range s.encounters() {
			at[patient]++
			most = max(most, at[patient])
		}
	}
	return most
}

// Data implements [Source].
func (s *replaySource) Data() string { return s.hash }

// readRecords reads the diabetes data out of a folder, or else out of c.Data, and returns
// the hash of its file, too.
func readRecords(c Config, dir string) (r *Records, hash string, err error) {
	if dir == "" {
		dir = c.Data
	}
	if dir == "" {
		return nil, "", &DataError{errors.New("world.replay.data is empty and PEERD_DATA is not set: name the folder that holds diabetes/; scripts/fetch-data.sh gets it")}
	}
	name := filepath.Join(dir, "diabetes", "diabetic_data.csv.zip")
	f, err := c.Open(name)
	zipped := !errors.Is(err, fs.ErrNotExist)
	if !zipped {
		name = strings.TrimSuffix(name, ".zip")
		f, err = c.Open(name)
	}
	if err != nil {
		return nil, "", &DataError{fmt.Errorf("%w: scripts/fetch-data.sh gets the data", err)}
	}
	defer func() { _ = f.Close() }()
	h := sha256.New()
	size, err := io.Copy(h, io.NewSectionReader(f, 0, math.MaxInt64))
	if err != nil {
		return nil, "", &DataError{err}
	}
	if r, err = readSheet(f, size, zipped); err != nil {
		return nil, "", &DataError{fmt.Errorf("%s: %w", name, err)}
	}
	return r, hex.EncodeToString(h.Sum(nil)), nil
}

// readSheet reads the records of a file of size bytes.
func readSheet(f io.ReaderAt, size int64, zipped bool) (*Records, error) {
	if !zipped {
		return Load(io.NewSectionReader(f, 0, size))
	}
	z, err := OpenZip(f, size)
	if err != nil {
		return nil, err
	}
	defer func() { _ = z.Close() }()
	return Load(z)
}
