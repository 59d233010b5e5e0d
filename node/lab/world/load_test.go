package world

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"peerd.dev/internal/require"
)

func TestTreatmentsBecomeArms(t *testing.T) {
	for _, c := range []struct {
		drugs string
		want  armset
	}{
		{"", 0b10000},
		{"insulin=Steady", 0b00001},
		{"insulin=Up", 0},
		{"metformin=Down", 0},
		{"insulin=Steady metformin=Up", 0b00001},
		{"insulin=Steady metformin=Steady", 0b00011},
		{"repaglinide=Steady glipizide=Steady", 0b00100},
		{"citoglipton=Steady", 0b01000},
		{"metformin-pioglitazone=Steady insulin=Steady acarbose=Steady metformin=Steady", 0b01111},
		{"tolazamide=Steady", 0},
		{"tolazamide=Up", 0},
		{"tolazamide=Steady insulin=Steady", 0b00001},
	} {
		r := load(t, []line{{1, "?", c.drugs, "NO"}})
		if got := r.rows[0].arms; got != c.want {
			t.Errorf("%q: arms %05b, want %05b", c.drugs, got, c.want)
		}
	}
}

func TestEveryDrugOnce(t *testing.T) {
	seen, by := map[string]bool{}, map[int]int{}
	for _, d := range drugs() {
		if seen[d.column] {
			t.Errorf("%s twice", d.column)
		}
		seen[d.column] = true
		by[d.arm]++
	}
	if want := "map[-1:1 0:1 1:1 2:6 3:14]"; fmt.Sprint(by) != want {
		t.Errorf("drugs by arm %v, want %v", by, want)
	}
}

func TestOnlyLateReturnPays(t *testing.T) {
	r := load(t, []line{{1, "?", "", "NO"}, {2, "?", "", "<30"}, {3, "?", "", ">30"}, {4, "?", "", "NO"}})
	if m := r.Means()[nothing]; m != .25 {
		t.Errorf("mean %v, want .25", m)
	}
}

func TestColumnsInAnyOrder(t *testing.T) {
	rows := strings.Split(strings.TrimSpace(sheet(everyArm())), "\n")
	for i, row := range rows {
		first, rest, _ := strings.Cut(row, ",")
		rows[i] = rest + "," + first
	}
	r := require.Value(Load(strings.NewReader(strings.Join(rows, "\r\n"))))(t)
	if got := fmt.Sprint(r.Counts(), r.Means()); got != "[1 1 1 1 1] [1 1 1 1 1]" {
		t.Error(got)
	}
}

func TestBadSheets(t *testing.T) {
	good := everyArm()
	with := func(i int, l line) string {
		lines := everyArm()
		lines[i] = l
		return sheet(lines)
	}
	for _, c := range []struct{ name, sheet, want string }{
		{"empty", "", "world: line 1: no header, the file is empty"},
		{"only a header", sheet(nil), "world: a header line and no encounters"},
		{"no readmitted", sheet(good, "readmitted"), `world: line 1: no column "readmitted"`},
		{"several columns", sheet(good, "insulin", "acarbose"), `world: line 1: no column "acarbose", "insulin"`},
		{"another file", "a,b\n1,2\n", `world: line 1: no column "acarbose", "acetohexamide"`},
		{
			"unknown readmitted", with(1, line{2, "?", "", "SECRET"}),
			`world: line 3: column "readmitted" does not hold NO, <30 or >30`,
		},
		{
			"unknown dose", with(4, line{5, "?", "insulin=SECRET", "NO"}),
			`world: line 6: column "insulin" does not hold No, Steady, Up or Down`,
		},
		{"no patient", strings.Replace(sheet(good), "1002,3,", "1002,SECRET,", 1), `world: line 4: column "patient_nbr" does not hold a whole number`},
		{"short line", sheet(good) + "1,SECRET\n", "world: record on line 7: wrong number of fields"},
		{"torn quote", sheet(good) + "1,\"SECRET", "world: parse error on line 7"},
	} {
		_, err := Load(strings.NewReader(c.sheet))
		switch {
		case err == nil:
			t.Errorf("%s: no error, want %s", c.name, c.want)
		case !strings.HasPrefix(err.Error(), c.want):
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		case strings.Contains(err.Error(), "SECRET"):
			t.Errorf("%s: a private cell is in the error: %v", c.name, err)
		}
	}
}

// zipped packs files by name, in this order.
func zipped(t *testing.T, files ...[2]string) (*bytes.Reader, int64) {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range files {
		w, err := z.Create(f[0])
		if err != nil {
			t.Fatal(err)
		}
		require.Value(io.WriteString(w, f[1]))(t)
	}
	require.NoError(t, z.Close())
	return bytes.NewReader(b.Bytes()), int64(b.Len())
}

func TestZipFindsTheSheetInAnyFolder(t *testing.T) {
	for _, name := range []string{"diabetic_data.csv", "dataset_diabetes/diabetic_data.csv", "a/b/diabetic_data.csv"} {
		z, n := zipped(t, [2]string{"__MACOSX/._diabetic_data.csv", "junk"}, [2]string{"IDS_mapping.csv", "x"}, [2]string{name, sheet(everyArm())})
		f := require.Value(OpenZip(z, n))(t)
		r, err := Load(f)
		if err != nil || r.Rows() != 5 {
			t.Errorf("%s: %d rows, %v", name, r.Rows(), err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestBadZips(t *testing.T) {
	z, n := zipped(t, [2]string{"__MACOSX/._diabetic_data.csv", "junk"})
	if _, err := OpenZip(z, n); err == nil || err.Error() != "world: no diabetic_data.csv among the 1 files of the zip" {
		t.Error(err)
	}
	if _, err := OpenZip(strings.NewReader("no zip"), 6); err == nil || !strings.HasPrefix(err.Error(), "world: ") {
		t.Error(err)
	}
}
