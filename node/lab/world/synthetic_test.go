package world

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"

	"pgregory.net/rapid"
)

// line is an encounter to be written as CSV. drugs is "name=cell name=cell"; the
// others are No.
type line struct {
	patient              int
	specialty, drugs, in string
}

// sheet writes lines as the publisher does, without the columns that are not
// read and with one that is not known. Columns in drop are left out.
func sheet(lines []line, drop ...string) string {
	columns := []string{"encounter_id", "patient_nbr", "medical_specialty"}
	for _, d := range drugs() {
		columns = append(columns, d.column)
	}
	columns = append(columns, "readmitted")
	var b strings.Builder
	row := func(cell func(column string) string) {
		var cells []string
		for _, c := range columns {
			if !strings.Contains(" "+strings.Join(drop, " ")+" ", " "+c+" ") {
				cells = append(cells, cell(c))
			}
		}
		b.WriteString(strings.Join(cells, ",") + "\n")
	}
	row(func(c string) string { return c })
	for i, l := range lines {
		row(func(c string) string {
			switch c {
			case "encounter_id":
				return fmt.Sprint(1000 + i)
			case "patient_nbr":
				return fmt.Sprint(l.patient)
			case "medical_specialty":
				return l.specialty
			case "readmitted":
				return l.in
			}
			for _, kv := range strings.Fields(l.drugs) {
				if name, cell, _ := strings.Cut(kv, "="); name == c {
					return cell
				}
			}
			return "No"
		})
	}
	return b.String()
}

// load loads lines.
func load(t rapid.TB, lines []line) *Records {
	t.Helper()
	r, err := Load(strings.NewReader(sheet(lines)))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// seeded returns the random numbers of a seed.
func seeded(seed uint64) *rand.ChaCha8 {
	var key [32]byte
	binary.BigEndian.PutUint64(key[:], seed)
	return rand.NewChaCha8(key)
}

// everyArm is one encounter an arm, of patients 1 to 5, all paying 1.
func everyArm() []line {
	return []line{
		{1, "?", "insulin=Steady", ">30"},
		{2, "?", "metformin=Steady", ">30"},
		{3, "?", "acarbose=Steady", ">30"},
		{4, "?", "glyburide=Steady", ">30"},
		{5, "?", "", ">30"},
	}
}
