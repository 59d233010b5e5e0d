package graphs

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Parse reads a list of edges, one per line, as two peer numbers separated by space. A # starts a
// comment that ends with the line; empty lines are skipped. It returns the edges sorted, the
// lower end first. Errors name the line.
func Parse(r io.Reader) ([][2]int, error) {
	var edges [][2]int
	lineOf := make(map[[2]int]int) // never ranged over
	lines := bufio.NewScanner(r)
	line := 0
	for lines.Scan() {
		line++
		text, _, _ := strings.Cut(lines.Text(), "#")
		fields := strings.Fields(text)
		if len(fields) == 0 {
			continue
		}
		e, err := parseEdge(fields)
		if err != nil {
			return nil, fmt.Errorf("topology: line %d: %w", line, err)
		}
		if first := lineOf[e]; first > 0 {
			return nil, fmt.Errorf("topology: line %d: edge %d-%d was given on line %d", line, e[0], e[1], first)
		}
		lineOf[e] = line
		edges = append(edges, e)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("topology: line %d: %w", line+1, err)
	}
	slices.SortFunc(edges, func(a, b [2]int) int {
		return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
	})
	return edges, nil
}

// parseEdge returns the edge between two peers, the lower one first.
func parseEdge(fields []string) ([2]int, error) {
	var e [2]int
	if len(fields) != 2 {
		return e, fmt.Errorf("want two peers, as in \"0 1\", got %q", strings.Join(fields, " "))
	}
	for k, field := range fields {
		i, err := strconv.Atoi(field)
		if err != nil || i < 0 {
			return e, fmt.Errorf("a peer is a whole number from 0 up, got %q", field)
		}
		e[k] = i
	}
	if e[0] == e[1] {
		return e, fmt.Errorf("peer %d cannot be its own neighbour", e[0])
	}
	return ordered(e), nil
}
