package style

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var (
	claim    = regexp.MustCompile(`(?s)\*\((lines? [^)]*)\)\*$`)
	proved   = regexp.MustCompile(`(?m)^(\d+)\. \*\*`)
	testName = regexp.MustCompile("`(Test\\w+)`")
	digits   = regexp.MustCompile(`\d+`)
)

// TestEveryClaimIsProvenAndTested says that each paragraph and item of the page of privacy
// ends with the lines of the theorem that it quotes, and, up to what is not covered, with tests;
// that these lines and tests exist; that the lines are numbered without gaps; and that quotations are
// the theorem's words.
func TestEveryClaimIsProvenAndTested(t *testing.T) {
	page, theorem := read(t, "docs/privacy.md"), read(t, "docs/proofs/promise.md")
	lines := 0
	for _, m := range proved.FindAllStringSubmatch(theorem, -1) {
		if lines++; m[1] != strconv.Itoa(lines) {
			t.Fatalf("promise.md: line %s follows line %d", m[1], lines-1)
		}
	}
	tests := testNames(t)
	covered, claims := true, 0
	for _, text := range claimsOf(page) {
		switch {
		case strings.HasPrefix(text, "## "):
			covered = text != "## What is not covered"
			continue
		case strings.HasPrefix(text, ">"):
			quoted := strings.Join(strings.Fields(strings.ReplaceAll(text, ">", " ")), " ")
			if !strings.Contains(strings.Join(strings.Fields(theorem), " "), quoted) {
				t.Errorf("privacy.md quotes %q, which promise.md does not say", quoted)
			}
			continue
		case strings.HasPrefix(text, "#"), strings.HasPrefix(text, "|"), strings.HasPrefix(text, "is the theorem"), strings.HasPrefix(text, "Every budget"):
			continue
		}
		claims++
		m := claim.FindStringSubmatch(text)
		if m == nil {
			t.Errorf("privacy.md: no line of the theorem after %q", text)
			continue
		}
		cited, _, _ := strings.Cut(m[1], ";")
		for _, n := range digits.FindAllString(cited, -1) {
			if n, _ := strconv.Atoi(n); n < 1 || n > lines {
				t.Errorf("privacy.md cites line %d of %d after %q", n, lines, text)
			}
		}
		names := testName.FindAllStringSubmatch(m[1], -1)
		if covered && len(names) == 0 {
			t.Errorf("privacy.md: no test after %q", text)
		}
		for _, n := range names {
			if !tests[n[1]] {
				t.Errorf("privacy.md cites %s, which is no test", n[1])
			}
		}
	}
	if lines < 30 || claims < 30 {
		t.Errorf("found %d lines and %d claims", lines, claims)
	}
}

// claimsOf splits a page into headings, tables, quotations, paragraphs and items.
func claimsOf(page string) (all []string) {
	now := ""
	for _, l := range append(strings.Split(page, "\n"), "") {
		if l == "" || strings.HasPrefix(l, "#") || item.MatchString(l) && !strings.HasPrefix(l, "  ") {
			if now != "" {
				all = append(all, strings.TrimSpace(now))
			}
			now = ""
		}
		now += l + "\n"
		if strings.TrimSpace(now) == "" {
			now = ""
		}
	}
	return all
}

func read(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
