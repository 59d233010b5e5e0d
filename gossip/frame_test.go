package gossip

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"testing"
	"time"

	"peerd.dev/protocol"
)

func framesOf(b []byte) frameReader { return frameReader{r: bufio.NewReader(bytes.NewReader(b))} }

func TestFramesComeBack(t *testing.T) {
	for _, n := range []int{0, 1, 127, 128, 16383, 16384, protocol.MaxFrame} {
		want := bytes.Repeat([]byte{byte(n + 1)}, n)
		b := prefixed(want)
		if uint64(len(b)) != framed(len(want)) {
			t.Errorf("%d bytes: framed %d, want %d", n, framed(len(want)), len(b))
		}
		f := framesOf(b)
		got, err := f.next(protocol.MaxFrame)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes: %d bytes came back (%v)", n, len(got), err)
		}
		if _, err := f.next(protocol.MaxFrame); !errors.Is(err, io.EOF) {
			t.Errorf("%d bytes: then %v", n, err)
		}
		for _, cut := range []int{1, len(b) / 2, len(b) - 1} {
			if cut == 0 || cut >= len(b) {
				continue
			}
			f := framesOf(b[:cut])
			if _, err := f.next(protocol.MaxFrame); !errors.Is(err, io.ErrUnexpectedEOF) {
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
		w := frameWriter{w: bufio.NewWriter(&wire), setBy: record, timeout: timeout}
		for range 10 {
			if err := w.write("x"); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.flush(); err != nil {
			t.Fatal(err)
		}
		r := frameReader{r: bufio.NewReader(&wire), setBy: record, timeout: timeout}
		for range 10 {
			if _, err := r.next(1); err != nil {
				t.Fatal(err)
			}
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
			got, err := r.next(limit)
			if err != nil {
				if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, errViolation) {
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
	ours := hello{self: 3, incarnation: 9, policy: [32]byte{1}, network: "net"}
	checkpointed := ours
	checkpointed.checkpoints, checkpointed.checkpoint, checkpointed.remembered = true, signedBy(&configs(2, path(2))[0], checkpointOf(7)), protocol.SignedCheckpoint{Checkpoint: checkpointOf(300)}
	f.Add(ours.encode())
	f.Add(checkpointed.encode())
	f.Add([]byte{1})
	f.Fuzz(func(t *testing.T, b []byte) {
		h, err := parseHello(b)
		if err != nil {
			if !errors.Is(err, errViolation) && !errors.Is(err, ErrMismatch) {
				t.Fatal(err)
			}
			return
		}
		if !bytes.Equal(h.encode(), b) {
			t.Fatalf("%x read as %+v", b, h)
		}
		if !h.checkpoints && (h.checkpoint != protocol.SignedCheckpoint{} || h.remembered != protocol.SignedCheckpoint{}) {
			t.Fatalf("%+v", h)
		}
		if err := ours.check(&h, 3); err == nil && (h.checkpoints || h.self != 3 || h.network != "net" || h.policy != ours.policy) {
			t.Fatalf("%+v accepted", h)
		} else if err != nil && !errors.Is(err, ErrMismatch) {
			t.Fatal(err)
		}
	})
}
