package gossip

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"testing"

	"peerd.dev/protocol"
)

func framesOf(b []byte) frameReader { return frameReader{r: bufio.NewReader(bytes.NewReader(b))} }

func TestFramesComeBack(t *testing.T) {
	for _, n := range []int{0, 1, 127, 128, 16383, 16384, protocol.MaxFrame} {
		want := bytes.Repeat([]byte{byte(n + 1)}, n)
		b := frame(want)
		if uint64(len(b)) != framed(want) {
			t.Errorf("%d bytes: framed %d, want %d", n, framed(want), len(b))
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

// The length of a frame is believed only up to the limit, and what is read is
// what the one writer would have written.
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
			again = append(again, frame(got)...)
		}
		if cap(r.buf) > limit || !bytes.HasPrefix(b, again) {
			t.Fatalf("%x read as %x with a buffer of %d", b, again, cap(r.buf))
		}
	})
}

func FuzzHello(f *testing.F) {
	ours := hello{helloVersion, 3, 9, [32]byte{1}, "net"}
	f.Add(ours.encode())
	f.Add([]byte{2})
	f.Fuzz(func(t *testing.T, b []byte) {
		h, err := parseHello(b)
		if err != nil {
			if !errors.Is(err, errViolation) {
				t.Fatal(err)
			}
			return
		}
		if h.version == helloVersion && !bytes.Equal(h.encode(), b) {
			t.Fatalf("%x read as %+v", b, h)
		}
		if err := ours.check(&h, 3); err == nil && (h.self != 3 || h.network != "net" || h.policy != ours.policy) {
			t.Fatalf("%+v accepted", h)
		} else if err != nil && !errors.Is(err, ErrMismatch) {
			t.Fatal(err)
		}
	})
}
