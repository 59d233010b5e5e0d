package world

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"peerd.dev/internal/require"
)

// TestReplayReadsTheSheetOrItsZip: from the parameters' folder, or else the configuration's; the
// hash is the file's.
func TestReplayReadsTheSheetOrItsZip(t *testing.T) {
	plain := sheet(everyArm())
	z, n := zipped(t, [2]string{"a/diabetic_data.csv", plain})
	packed := make([]byte, n)
	require.Value(z.ReadAt(packed, 0))(t)
	for _, c := range []struct{ name, content, data, folder string }{
		{"data/diabetes/diabetic_data.csv", plain, "", "data"},
		{"there/diabetes/diabetic_data.csv", plain, "there", "data"},
		{"data/diabetes/diabetic_data.csv.zip", string(packed), "", "data"},
		{"there/diabetes/diabetic_data.csv.zip", string(packed), "there", ""},
	} {
		source := require.Value(Open(ReplayParams{Data: c.data, Split: Contiguous, Cap: 1}, Config{Arms: arms, Sites: 1, RecordsPerUser: 1, Data: c.folder, Open: only(c.name, c.content)}))(t)
		hash := sha256.Sum256([]byte(c.content))
		if got, want := source.Data(), hex.EncodeToString(hash[:]); got != want {
			t.Errorf("%s has hash %s, want %s", c.name, got, want)
		}
	}
}

// TestMissingDataIsADataError: and the error names the file.
func TestMissingDataIsADataError(t *testing.T) {
	const name = "data/diabetes/diabetic_data.csv"
	z, n := zipped(t, [2]string{"other.csv", "x"})
	packed := make([]byte, n)
	require.Value(z.ReadAt(packed, 0))(t)
	for _, c := range []struct {
		folder string
		open   func(string) (File, error)
		want   string
	}{
		{"", nil, "world.replay.data is empty and PEERD_DATA is not set: name the folder that holds diabetes/; scripts/fetch-data.sh gets it"},
		{"data", only("x", ""), "open " + name + ": file does not exist: scripts/fetch-data.sh gets the data"},
		{"data", func(string) (File, error) { return nil, fs.ErrPermission }, "permission denied: scripts/fetch-data.sh gets the data"},
		{"data", only(name, "a,b\n"), name + `: world: line 1: no column "acarbose"`},
		{"data", only(name+".zip", "no zip"), name + ".zip: world: zip"},
		{"data", only(name+".zip", string(packed)), name + ".zip: world: no diabetic_data.csv among the 1 files of the zip"},
		{"data", func(string) (File, error) { return broken{}, nil }, "the disk is gone"},
	} {
		_, err := Open(ReplayParams{Split: Contiguous, Cap: 1}, Config{Arms: arms, Sites: 1, Data: c.folder, Open: c.open})
		var missing *DataError
		if !errors.As(err, &missing) || !strings.HasPrefix(strings.ReplaceAll(err.Error(), `\`, "/"), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// broken is a File that cannot be read.
type broken struct{ memory }

func (broken) ReadAt([]byte, int64) (int, error) { return 0, errors.New("the disk is gone") }

func (broken) Close() error { return nil }

// TestReplayTakesRecordsOfOneArmAndCapsPatients: the second record of patient 1 is left out,
// and so is the one that belongs to two arms. What it says is of what is left.
func TestReplayTakesRecordsOfOneArmAndCapsPatients(t *testing.T) {
	lines := slices.Concat(everyArm(), everyArm())
	lines = append(lines, line{9, "?", "insulin=Steady metformin=Steady", "NO"})
	for i := range lines[5:10] {
		lines[5+i].patient += 10
	}
	lines[6].patient = 1
	lines = append(lines, line{20, "?", "metformin=Steady", "NO"})
	c := Config{Arms: arms, Sites: 2, RecordsPerUser: 2, Data: "data", Open: only("data/diabetes/diabetic_data.csv", sheet(lines))}
	open := func(most uint64) (Source, *Sites) {
		source := require.Value(Open(ReplayParams{Split: Contiguous, Cap: most}, c))(t)
		s := require.Value(source.Sites(nil))(t)
		return source, s
	}
	one, s := open(1)
	if got, want := one.About(), "replay: 10 encounters, 1 left out by the cap; one patient is at up to 1 of the sites"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := fmt.Sprint(s.Means); got != "[[1 1 1 1 1] [1 0 1 1 1]]" {
		t.Errorf("means %s", got)
	}
	if got := fmt.Sprint(s.Overall(), s.Gaps()); got != "[1 0.5 1 1 1] [0 0.5 0 0 0]" {
		t.Errorf("over sites %s", got)
	}
	two, _ := open(2)
	if got, want := two.About(), "replay: 11 encounters, 0 left out by the cap; one patient is at up to 2 of the sites"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	c.Sites = 3
	if _, err := Open(ReplayParams{Split: Contiguous, Cap: 1}, c); err == nil || !strings.Contains(err.Error(), "has no record among") {
		t.Errorf("a site without records of an arm: %v", err)
	}
	if _, err := Open(ReplayParams{Split: "zip code", Cap: 1}, c); err == nil || err.Error() != "world.replay.split: want contiguous or patient" {
		t.Error(err)
	}
}

// A saved replay of other data is refused where an arm never had as many records.
func TestReplayRefusesMoreRecordsThanThereWere(t *testing.T) {
	w := replay(t, load(t, everyArm()), 1)
	more := replay(t, load(t, slices.Concat(everyArm(), everyArm()[1:2])), 1)
	if err := w.Load(more.Save()); err == nil || err.Error() != "world: saved state with 2 records left of arm 1, which had 1" {
		t.Error(err)
	}
	require.Value(w.Play(1))(t)
	if again := replay(t, load(t, everyArm()), 1); again.Load(w.Save()) != nil || again.Left(1) != 0 || again.Left(0) != 1 {
		t.Error("a record could be handed out twice")
	}
	if !bytes.Equal(w.Save()[:1], []byte{1}) {
		t.Error("no version")
	}
}
