package api

import (
	"encoding/json"
	"flag"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"peerd.dev/internal/require"
	"peerd.dev/node/decision"
)

var update = flag.Bool("update", false, "write docs/openapi.json")

// TestSpecification shows that docs/openapi.json agrees with the routes. After a change of them:
// go test ./node/api -run TestSpecification -update. If a program that was written for the old
// specification no longer works, [Version] changes as well.
func TestSpecification(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "openapi.json")
	r := run(t, newFake())
	doc, err := spec(r.table())
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		require.NoError(t, os.WriteFile(path, doc, 0o644))
		return // the program has the file of before
	}
	_, _, served := r.ask(t, "/openapi.json", "")
	committed := require.Value(os.ReadFile(path))(t)
	if served != string(committed) || served != string(doc) {
		t.Error("docs/openapi.json is not what the routes say; run: go test ./node/api -run TestSpecification -update")
	}
}

// TestAnswersFitTheSpecification checks real answers against the schemas, and the schemas' limits
// against the decoder's.
func TestAnswersFitTheSpecification(t *testing.T) {
	f := newFake()
	f.inside = &Inside{Actions: []InsideAction{{Name: "red"}}, Gain: &Gain{Sentence: "more"}}
	r := run(t, f)
	all := schemas{}
	for _, c := range []struct {
		path, body string
		as         reflect.Type
	}{
		{"/v1/decisions", `{}`, reflect.TypeFor[decisionBody]()},
		{"/v1/decisions/batch", `{"decisions":[{"id":"a"},{"id":7}]}`, reflect.TypeFor[decisionBatchBody]()},
		{"/v1/rewards", `{"id":"a","value":1}`, reflect.TypeFor[receiptBody]()},
		{"/v1/rewards/batch", `{"rewards":[{"id":"a","value":1},{"id":"a","value":7}]}`, reflect.TypeFor[receiptBatchBody]()},
		{"/v1/rewards", `{"id":"b","value":1}`, reflect.TypeFor[Problem]()},
		{"/v1/rewards", `nonsense`, reflect.TypeFor[Problem]()},
		{"/v1/status", "", reflect.TypeFor[Status]()},
		{"/v1/arms", "", reflect.TypeFor[[]Arm]()},
		{"/v1/peers", "", reflect.TypeFor[[]Peer]()},
		{"/v1/inside", "", reflect.TypeFor[Inside]()},
		{"/readyz", "", reflect.TypeFor[readyBody]()},
	} {
		_, _, body := r.ask(t, c.path, c.body)
		var doc any
		if err := json.Unmarshal([]byte(body), &doc); err != nil {
			t.Fatal(c.path, err)
		}
		if wrong := all.misfits(all.of(c.as, false), doc, "it"); len(wrong) > 0 {
			t.Errorf("%s: %s: %v", c.path, body, wrong)
		}
	}
	all = schemas{}
	all.of(reflect.TypeFor[askBatchBody](), true)
	limit := func(name, field, word string) string {
		v, _ := all[name]["properties"].(object)[field].(object)[word].(json.Number)
		return v.String()
	}
	if limit("AskBatch", "decisions", "maxItems") != strconv.Itoa(maxItems) || limit("Ask", "exclude", "maxItems") != strconv.Itoa(maxItems) || limit("Ask", "features", "maxItems") != strconv.Itoa(maxItems) ||
		limit("Ask", "id", "maxLength") != strconv.Itoa(decision.MaxID) || limit("Ask", "subject", "maxLength") != strconv.Itoa(decision.MaxSubject) {
		t.Error("the limits of the schema are not those of the decoder")
	}
}

// TestMisfitsAreFound shows that the check of TestAnswersFitTheSpecification can fail.
func TestMisfitsAreFound(t *testing.T) {
	all := schemas{}
	ask, decided, status := all.of(reflect.TypeFor[askBatchBody](), true), all.of(reflect.TypeFor[decisionBody](), false), all.of(reflect.TypeFor[Status](), false)
	const good = `"id":"a","action":"b","propensity":0.5,"source":"learned","model":"1-2-3","counted":true,"repeated":false`
	for _, c := range []struct {
		schema object
		text   string
		wrong  int
	}{
		{ask, `{"decisions":[{}]}`, 0},
		{ask, `{"decisions":[]}`, 1},
		{ask, `{}`, 1},
		{ask, `{"decisions":[{"id":"a b"},{"id":""},{"subject":7},{"subject":""},{"other":1}]}`, 6},
		{ask, `{"decisions":null}`, 1},
		{decided, `{` + good + `,"expires_at":"2030-01-02T03:04:05Z","later":1}`, 0},
		{decided, `{` + good + `,"expires_at":"tomorrow"}`, 1},
		{decided, `{` + strings.Replace(good, "0.5", "1.5", 1) + `,"expires_at":"2030-01-02T03:04:05Z"}`, 1},
		{decided, `{` + strings.Replace(good, "learned", "guessed", 1) + `,"expires_at":"2030-01-02T03:04:05Z"}`, 1},
		{all["Status"]["properties"].(object)["pulls"].(object), `null`, 0},
		{all["Status"]["properties"].(object)["pulls"].(object), `[1,-1,0.5]`, 2},
		{status, `[]`, 1},
	} {
		var doc any
		require.NoError(t, json.Unmarshal([]byte(c.text), &doc))
		if wrong := all.misfits(c.schema, doc, "it"); len(wrong) != c.wrong {
			t.Errorf("%s: %v, want %d misfits", c.text, wrong, c.wrong)
		}
	}
}

// TestEveryStatusIsDescribed shows that no route answers with a status that the specification
// does not list.
func TestEveryStatusIsDescribed(t *testing.T) {
	s := run(t, newFake()).Server
	if len(descriptions()) != len(s.table()) {
		t.Errorf("%d descriptions of %d routes", len(descriptions()), len(s.table()))
	}
	for _, r := range s.table() {
		if r.described().id == "" {
			t.Errorf("%s has no description", r.path)
		}
		for _, status := range r.described().fails {
			if http.StatusText(status) == "" || meaning(status) == http.StatusText(status) {
				t.Errorf("%s: %d", r.path, status)
			}
		}
	}
	doc := require.Value(spec(s.table()))(t)
	var got struct {
		Paths map[string]map[string]struct{} `json:"paths"`
	}
	require.NoError(t, json.Unmarshal(doc, &got))
	want := "/healthz /metrics /readyz /v1/arms /v1/backup /v1/decisions /v1/decisions/batch /v1/inside /v1/ledger /v1/network /v1/page-link /v1/peers /v1/privacy /v1/receipts /v1/rewards /v1/rewards/batch /v1/status /v1/table"
	if paths := strings.Join(slices.Sorted(maps.Keys(got.Paths)), " "); paths != want {
		t.Error(paths)
	}
	for range 5 { // maps are in it
		if again, err := spec(s.table()); err != nil || string(again) != string(doc) {
			t.Fatal("another document", err)
		}
	}
}
