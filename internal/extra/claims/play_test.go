package claims

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"peerd.dev/internal/require"
)

// TestClaimsArePlayedAndJudged: the quick form of the figure of two claims, played once, judged again without playing, and as a page.
func TestClaimsArePlayedAndJudged(t *testing.T) {
	dir := t.TempDir()
	o := Options{IDs: []string{"P3-8"}, Quick: true, Out: dir, Progress: io.Discard}
	played := require.Value(Run(context.Background(), o))(t)
	o.Stored = true
	again := require.Value(Run(context.Background(), o))(t)
	var ids []string
	for i, c := range again.Claims {
		ids = append(ids, c.ID)
		if c.Verdict != played.Claims[i].Verdict || (c.Full == "") == (c.Verdict == Unjudged || c.Seeds < fewest || len(c.Statistics) == 0) {
			t.Errorf("%s: %+v and then %+v", c.ID, played.Claims[i], c)
		}
	}
	if got := strings.Join(ids, " "); got != "P3-8 P3-8L" {
		t.Errorf("claims %s", got)
	}
	var table, page bytes.Buffer
	again.Write(&table)
	again.Page(&page)
	for _, want := range []string{"P3-8L", "alone, alike", "2 claims: "} {
		if !strings.Contains(table.String(), want) || !strings.Contains(page.String(), want) {
			t.Errorf("neither table nor page may lack %q:\n%s\n%s", want, table.String(), page.String())
		}
	}
	o.Quick = false
	if small, err := Run(context.Background(), o); err != nil || small.Claims[0].Verdict != Unjudged || !strings.Contains(small.Claims[0].Why, "smaller than this form") {
		t.Errorf("the quick form in place of the full one: %+v, %v", small, err)
	}
}
