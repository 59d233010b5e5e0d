package world

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
)

// Split names a way to make hospitals of Records, which have no column for one.
type Split string

// The splits. Only Patient keeps all of a patient's encounters at one site, and
// only there does the site of an encounter depend on its own patient alone; a
// private claim needs it. Report.Reach is the number of sites that a patient can
// reach under the others.
const (
	// Contiguous cuts the rows, in file order, into parts that differ by one row
	// at most. This is where the local bias of paper 004 shows.
	Contiguous Split = "contiguous"
	// Specialty keeps a medical specialty together. Specialties, the one with
	// most rows first (ties by name), go each to the site with fewest rows so
	// far (ties to the lowest). A missing specialty is one, too, and half of
	// the data: with three sites or more, one holds nothing else.
	Specialty Split = "specialty"
	// Patient sends a patient to the site that the FNV-1a hash of the patient's
	// number, as 8 bytes little endian, modulo the number of sites, says.
	Patient Split = "patient"
)

// Split returns what each of a number of sites holds. Every encounter is at one
// site. It fails if a site would have none.
func (r *Records) Split(s Split, sites int) ([]*Records, error) {
	if sites < 1 {
		return nil, fmt.Errorf("world: %d sites, want at least 1", sites)
	}
	var site func(i int, e *record) int // of rows[i], which is e
	switch s {
	case Contiguous:
		site = func(i int, _ *record) int { return ((i+1)*sites - 1) / len(r.rows) }
	case Specialty:
		of := r.bySpecialty(sites)
		site = func(_ int, e *record) int { return of[e.specialty] }
	default: // Patient
		site = func(_ int, e *record) int { return byPatient(e.patient, sites) }
	}
	out := make([]*Records, sites)
	for i := range out {
		out[i] = new(Records)
	}
	for i, e := range r.rows {
		to := out[site(i, e)]
		to.rows = append(to.rows, e)
	}
	for i, o := range out {
		if len(o.rows) == 0 {
			return nil, fmt.Errorf("world: %s split: nothing left for site %d of %d", s, i, sites)
		}
	}
	return out, nil
}

// bySpecialty returns the site of each specialty.
func (r *Records) bySpecialty(sites int) map[string]int {
	rows := make(map[string]int)
	for _, e := range r.rows {
		rows[e.specialty]++
	}
	names := slices.SortedFunc(maps.Keys(rows), func(a, b string) int {
		return cmp.Or(cmp.Compare(rows[b], rows[a]), cmp.Compare(a, b))
	})
	load := make([]int, sites)
	of := make(map[string]int, len(names))
	for _, name := range names {
		least := slices.Index(load, slices.Min(load))
		of[name] = least
		load[least] += rows[name]
	}
	return of
}

// byPatient returns the site of a patient.
func byPatient(patient uint64, sites int) int {
	h := fnv.New64a()
	_, _ = h.Write(binary.LittleEndian.AppendUint64(nil, patient))
	return int(h.Sum64() % uint64(sites))
}
