package wire

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// A Term is one of the things that both ends of a link must agree on. The policy is the hash of
// all terms. Keys are unique.
type Term struct{ Key, Value string }

// Limits of terms, in bytes.
const (
	maxTerm  = 8 << 10
	MaxTerms = 128 << 10    // in total; less than a stream accepts unread
	maxCount = MaxTerms / 8 // terms; the shortest one is longer than 8 bytes
	maxNamed = 5            // differences that an error names
)

// WriteTerms writes
// every term in a frame, with a zero byte between key and value, and then an empty frame.
func WriteTerms(w io.Writer, all []Term) error {
	f := Writer{Out: bufio.NewWriter(w)}
	left := MaxTerms
	for _, t := range all {
		frame := t.Key + "\x00" + t.Value
		if left -= len(frame); len(frame) > maxTerm || left < 0 {
			continue
		}
		if err := f.Put(frame); err != nil {
			return err
		}
	}
	if err := f.Put(""); err != nil {
		return err
	}
	return f.Flush()
}

// ReadTerms reads what [WriteTerms] writes.
func ReadTerms(r *bufio.Reader) (all []Term, err error) {
	f := Reader{In: r}
	for left := MaxTerms; left >= 0; {
		b, err := f.Next(maxTerm)
		if err != nil || len(b) == 0 {
			return all, err
		}
		if left -= len(b); len(all) == maxCount {
			break
		}
		key, value, _ := strings.Cut(string(b), "\x00")
		all = append(all, Term{key, value})
	}
	return nil, fmt.Errorf("%w: more than %d terms, or %d bytes of them", ErrViolation, maxCount, MaxTerms)
}

// CompareTerms names the keys whose values differ, with both values.
func CompareTerms(ours, theirs []Term) string {
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
