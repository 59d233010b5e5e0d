package status

import (
	"fmt"
	"io"
	"math"
	"strings"

	"peerd.dev/internal/terminal"
	"peerd.dev/node/api"
)

// support returns what is behind the estimate of an arm, such as "1,240 own, 3,400 borrowed from 6 sites".
func support(a *api.Arm) string {
	if a.Own == 0 && a.Sites == 0 {
		return "-"
	}
	number := func(x float64) string { return terminal.Number(uint64(math.Round(x))) }
	text := number(a.Own) + " own"
	switch a.Sites {
	case 0:
		return text
	case 1:
		return fmt.Sprintf("%s, %s borrowed from 1 site", text, number(a.Borrowed))
	}
	return fmt.Sprintf("%s, %s borrowed from %d sites", text, number(a.Borrowed), a.Sites)
}

// mostAlike is how many other sites are named.
const mostAlike = 5

// alike writes which sites are like this one.
func alike(w io.Writer, all []api.Alike) {
	if len(all) == 0 {
		return
	}
	var named []string
	for _, o := range all[:min(len(all), mostAlike)] {
		named = append(named, fmt.Sprintf("%s %.2g", o.Name, o.Apart))
	}
	more := ""
	if n := len(all) - mostAlike; n > 0 {
		more = fmt.Sprintf(", and %d more, up to %.2g", n, all[len(all)-1].Apart)
	}
	_, _ = fmt.Fprintf(w, "sites by how far their means are from the ones here: %s%s\n", strings.Join(named, ", "), more)
}
