package gossip

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
)

// A Term is one of the things that both ends of a link must agree on. The policy is the hash of
// all terms. Keys are unique.
type Term struct{ Key, Value string }

const (
	maxTerm  = 8 << 10
	maxTerms = 128 << 10    // in total; less than a stream accepts unread
	maxCount = maxTerms / 8 // terms; the shortest one is longer than 8 bytes
	maxNamed = 5            // differences that an error names
)

// tradeTerms exchanges terms on a stream whose hellos have different policies. Each end sends
// every term in a frame, with a zero byte between key and value, and then an empty frame.
// tradeTerms returns what differs, or "" if that is not known.
func tradeTerms(s network.Stream, r *bufio.Reader, ours []Term, opener bool) string {
	if writeTerms(s, ours) != nil {
		return ""
	}
	said, err := readTerms(r)
	if err != nil {
		return ""
	}
	if opener { // the other end must be able to read before the stream is reset
		_ = s.CloseWrite()
		_ = s.SetReadDeadline(time.Now().Add(lingerTimeout))
		_, _ = io.Copy(io.Discard, r)
	}
	return compareTerms(ours, said)
}

func writeTerms(w io.Writer, all []Term) error {
	f := frameWriter{w: bufio.NewWriter(w)}
	left := maxTerms
	for _, t := range all {
		frame := t.Key + "\x00" + t.Value
		if left -= len(frame); len(frame) > maxTerm || left < 0 {
			continue
		}
		if err := f.write(frame); err != nil {
			return err
		}
	}
	if err := f.write(""); err != nil {
		return err
	}
	return f.flush()
}

func readTerms(r *bufio.Reader) (all []Term, err error) {
	f := frameReader{r: r}
	for left := maxTerms; left >= 0; {
		b, err := f.next(maxTerm)
		if err != nil || len(b) == 0 {
			return all, err
		}
		if left -= len(b); len(all) == maxCount {
			break
		}
		key, value, _ := strings.Cut(string(b), "\x00")
		all = append(all, Term{key, value})
	}
	return nil, fmt.Errorf("%w: more than %d terms, or %d bytes of them", errViolation, maxCount, maxTerms)
}

// compareTerms names the keys whose values differ, with both values.
func compareTerms(ours, theirs []Term) string {
	var differ []string
	of := make(map[string]string, len(theirs))
	for _, t := range theirs {
		of[t.Key] = t.Value
	}
	for _, t := range ours {
		switch value, ok := of[t.Key]; {
		case !ok:
			differ = append(differ, fmt.Sprintf("its %s is not set, ours is %.100s", t.Key, t.Value))
		case value != t.Value:
			differ = append(differ, fmt.Sprintf("its %s is %.100s, ours is %.100s", t.Key, value, t.Value))
		}
		delete(of, t.Key)
	}
	for _, t := range theirs {
		if value, ok := of[t.Key]; ok {
			differ = append(differ, fmt.Sprintf("its %.100s is %.100s, ours is not set", t.Key, value))
		}
	}
	if n := len(differ); n > maxNamed {
		differ = append(differ[:maxNamed], fmt.Sprintf("and %d more differences", n-maxNamed))
	}
	return strings.Join(differ, "; ")
}
