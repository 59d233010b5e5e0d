package world

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
)

// Split names a way to make hospitals of Records, which have no column for one.
type Split string

// The splits. Only Patient keeps all of a patient's encounters at one site, and
// only there does the site of an encounter depend on its own patient alone; a
// private claim needs it. Report.Reach is the number of sites that a patient can
// reach under the other.
const (
	// Contiguous cuts the rows, in file order, into parts that differ by one row
	// at most. This is where the local bias of paper 004 shows.
	Contiguous Split = "contiguous"
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
	out := make([]*Records, sites)
	for i := range out {
		out[i] = new(Records)
	}
	for i, e := range r.rows {
		site := ((i+1)*sites - 1) / len(r.rows)
		if s == Patient {
			site = byPatient(e.patient, sites)
		}
		to := out[site]
		to.rows = append(to.rows, e)
	}
	for i, o := range out {
		if len(o.rows) == 0 {
			return nil, fmt.Errorf("world: %s split: nothing left for site %d of %d", s, i, sites)
		}
	}
	return out, nil
}

// byPatient returns the site of a patient.
func byPatient(patient uint64, sites int) int {
	h := fnv.New64a()
	_, _ = h.Write(binary.LittleEndian.AppendUint64(nil, patient))
	return int(h.Sum64() % uint64(sites))
}
