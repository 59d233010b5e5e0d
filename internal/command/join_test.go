package command

import (
	"bufio"
	"slices"
	"strings"
	"testing"

	"peerd.dev/internal/change"
)

// TestJoinAsksWhoMayDial after the network was agreed to, unless an address was given; nothing, and the end of the input, mean nobody.
func TestJoinAsksWhoMayDial(t *testing.T) {
	for _, x := range []struct {
		answers     string
		given, want []string
		asked       bool
	}{
		{"y\n\n", nil, nil, true},
		{"y\nNo\n", nil, nil, true},
		{"Yes\n /dns4/a.example/tcp/1\n", nil, []string{"/dns4/a.example/tcp/1"}, true},
		{"y\nx\n", []string{"given"}, []string{"given"}, false},
		{"n\nx\n", nil, nil, false},
		{"", nil, nil, false},
	} {
		var said strings.Builder
		terms := &change.Terms{Addrs: x.given, Here: "/ip4/10.0.2.2/tcp/8471"}
		if err := agree(&App{Stderr: &said}, bufio.NewReader(strings.NewReader(x.answers)), terms); (err == nil) != (x.asked || x.given != nil) || !slices.Equal(terms.Addrs, x.want) || strings.Contains(said.String(), terms.Here) != x.asked {
			t.Errorf("%q: %v, %v\n%s", x.answers, err, terms.Addrs, said.String())
		}
	}
}
