package wire

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"testing"
	"time"

	"peerd.dev/internal/require"
	"peerd.dev/internal/vouch"
	"peerd.dev/protocol"
)

// signed returns a checkpoint, which has no signature if it has no records.
func signed(records uint64) (c protocol.SignedCheckpoint) {
	if c.Records = records; records > 0 {
		c.Head, c.Signature = [32]byte{byte(records), 1}, [SignatureSize]byte{2}
	}
	return c
}

func framesOf(b []byte) Reader { return Reader{In: bufio.NewReader(bytes.NewReader(b))} }

func TestFramesComeBack(t *testing.T) {
	for _, n := range []int{0, 1, 127, 128, 16383, 16384, protocol.MaxFrame} {
		want := bytes.Repeat([]byte{byte(n + 1)}, n)
		b := Prefixed(want)
		if uint64(len(b)) != Size(len(want)) {
			t.Errorf("%d bytes: framed %d, want %d", n, Size(len(want)), len(b))
		}
		f := framesOf(b)
		got, err := f.Next(protocol.MaxFrame)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes: %d bytes came back (%v)", n, len(got), err)
		}
		if _, err := f.Next(protocol.MaxFrame); !errors.Is(err, io.EOF) {
			t.Errorf("%d bytes: then %v", n, err)
		}
		for _, cut := range []int{1, len(b) / 2, len(b) - 1} {
			if cut == 0 || cut >= len(b) {
				continue
			}
			f := framesOf(b[:cut])
			if _, err := f.Next(protocol.MaxFrame); !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%d bytes cut at %d: %v", n, cut, err)
			}
		}
	}
}

// A deadline is set before the first frame and not again for each frame that follows at once;
// without a timeout none is set.
func TestDeadlinesAreSetSparingly(t *testing.T) {
	for timeout, want := range map[time.Duration]int{0: 0, time.Minute: 1} {
		var set []time.Time
		record := func(d time.Time) error {
			set = append(set, d)
			return nil
		}
		var wire bytes.Buffer
		w := Writer{Out: bufio.NewWriter(&wire), Deadline: Deadline{SetBy: record, Timeout: timeout}}
		for range 10 {
			require.NoError(t, w.Put("x"))
		}
		require.NoError(t, w.Flush())
		r := Reader{In: bufio.NewReader(&wire), Deadline: Deadline{SetBy: record, Timeout: timeout}}
		for range 10 {
			require.Value(r.Next(1))(t)
		}
		if len(set) != 2*want {
			t.Errorf("timeout %v: %d deadlines, want %d", timeout, len(set), 2*want)
		}
		for _, d := range set {
			if left := time.Until(d); left < timeout-10*time.Second || left > timeout {
				t.Errorf("timeout %v: deadline in %v", timeout, left)
			}
		}
	}
}

// A frame's length is trusted only up to the limit, and a frame that is read is exactly what the
// writer would have written.
func FuzzFrames(f *testing.F) {
	f.Add([]byte{0})
	f.Add([]byte{0x80, 0})
	f.Add([]byte{3, 1, 2, 3, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, b []byte) {
		const limit = 300
		r := framesOf(b)
		var again []byte
		for {
			got, err := r.Next(limit)
			if err != nil {
				if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, ErrViolation) {
					t.Fatal(err)
				}
				break
			}
			again = append(binary.AppendUvarint(again, uint64(len(got))), got...)
		}
		if cap(r.buf) > limit || !bytes.HasPrefix(b, again) {
			t.Fatalf("%x read as %x with a buffer of %d", b, again, cap(r.buf))
		}
	})
}

func FuzzHello(f *testing.F) {
	ours := Hello{Self: 3, Incarnation: 9, Policy: [32]byte{1}, Network: "net"}
	checkpointed := ours
	checkpointed.Checkpoints, checkpointed.Checkpoint, checkpointed.Remembered = true, signed(7), signed(300)
	f.Add(ours.Encode())
	f.Add(checkpointed.Encode())
	f.Add([]byte{1})
	f.Fuzz(func(t *testing.T, b []byte) {
		h, err := ParseHello(b)
		if err != nil {
			if !errors.Is(err, ErrViolation) && !errors.Is(err, ErrMismatch) {
				t.Fatal(err)
			}
			return
		}
		if !bytes.Equal(h.Encode(), b) {
			t.Fatalf("%x read as %+v", b, h)
		}
		if !h.Checkpoints && (h.Checkpoint != protocol.SignedCheckpoint{} || h.Remembered != protocol.SignedCheckpoint{}) {
			t.Fatalf("%+v", h)
		}
		if err := ours.Check(&h, 3); err == nil && (h.Checkpoints || h.Self != 3 || h.Network != "net" || h.Policy != ours.Policy) {
			t.Fatalf("%+v accepted", h)
		} else if err != nil && !errors.Is(err, ErrMismatch) {
			t.Fatal(err)
		}
	})
}

func TestCheckpointFramesComeBack(t *testing.T) {
	for _, n := range []uint64{0, 1, 127, 128, 1 << 40, 1<<64 - 1} {
		b := CheckpointFrame(signed(n))
		if m, err := ParseCheckpoint(b); err != nil || m != signed(n) || !IsCheckpoint(b) {
			t.Errorf("%v came back as %v: %v", n, m, err)
		}
		if _, err := protocol.Decode(vouch.For(b)); err == nil {
			t.Errorf("%v is a message", n)
		}
	}
	message := protocol.Encode(nil, protocol.Presence(1, 2))
	long := append([]byte{0, 0x80, 0}, make([]byte, 32+SignatureSize)...)
	headless := append(append([]byte{0, 0}, bytes.Repeat([]byte{1}, 32)...), make([]byte, SignatureSize)...)
	recordless := append(make([]byte, 2+32), bytes.Repeat([]byte{1}, SignatureSize)...)
	for name, b := range map[string][]byte{
		"nothing": {}, "a tag": {0}, "a message": message, "a count in a longer form": long,
		"a head without a record": headless, "a signature without a record": recordless, "a byte more": append(CheckpointFrame(signed(3)), 0),
		"a count without end": append([]byte{0}, bytes.Repeat([]byte{0xff}, 42+SignatureSize)...),
	} {
		if m, err := ParseCheckpoint(b); !errors.Is(err, ErrViolation) {
			t.Errorf("%s was read as %v: %v", name, m, err)
		}
	}
}

func FuzzCheckpoint(f *testing.F) {
	f.Add(CheckpointFrame(signed(0)))
	f.Add(CheckpointFrame(signed(300)))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := ParseCheckpoint(b)
		if err != nil {
			if !errors.Is(err, ErrViolation) {
				t.Fatal(err)
			}
			return
		}
		if !bytes.Equal(CheckpointFrame(m), b) {
			t.Fatalf("%x read as %v", b, m)
		}
		if _, err := protocol.Decode(vouch.For(b)); err == nil {
			t.Fatalf("%x is a message too", b)
		}
	})
}
