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
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
)

var update = flag.Bool("update", false, "write docs/openapi.json")

// TestSpecification shows that docs/openapi.json is what the routes say. After a
// change of them: go test ./node/api -run TestSpecification -update. If a program
// that was written for the old one no longer works, [Version] changes as well.
func TestSpecification(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "openapi.json")
	r := run(t, newFake())
	_, _, served := r.ask(t, "/openapi.json", "")
	if *update {
		if err := os.WriteFile(path, []byte(served), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	committed, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if served != string(committed) {
		t.Error("docs/openapi.json is not what the routes say; run: go test ./node/api -run TestSpecification -update")
	}
}

// TestAnswersFitTheSpecification checks real answers against the schemas, and the
// schemas' limits against those of the decoder.
func TestAnswersFitTheSpecification(t *testing.T) {
	f := newFake()
	r := run(t, f)
	schemas := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
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
		{"/readyz", "", reflect.TypeFor[healthBody]()},
	} {
		_, _, body := r.ask(t, c.path, c.body)
		var doc any
		if err := json.Unmarshal([]byte(body), &doc); err != nil {
			t.Fatal(c.path, err)
		}
		schema, out := schemas.Schema(c.as, true, ""), &huma.ValidateResult{}
		huma.Validate(schemas, schema, huma.NewPathBuffer(nil, 0), huma.ModeReadFromServer, doc, out)
		if len(out.Errors) > 0 {
			t.Errorf("%s: %s: %v", c.path, body, out.Errors)
		}
	}
	asks := schemas.Schema(reflect.TypeFor[askBatchBody](), false, "").Properties["decisions"]
	ask := schemas.Schema(reflect.TypeFor[askBody](), false, "").Properties
	if *asks.MaxItems != maxItems || *ask["exclude"].MaxItems != maxExclude || *ask["id"].MaxLength != maxID || *ask["subject"].MaxLength != maxSubject {
		t.Error("the limits of the schema are not those of the decoder")
	}
}

// TestEveryStatusIsDescribed shows that no route answers what the specification
// does not list.
func TestEveryStatusIsDescribed(t *testing.T) {
	s := run(t, newFake()).Server
	for _, r := range s.table() {
		for _, status := range r.fails {
			if http.StatusText(status) == "" || meaning(status) == http.StatusText(status) {
				t.Errorf("%s: %d", r.path, status)
			}
		}
	}
	doc, err := spec(s.table())
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Paths map[string]map[string]struct{} `json:"paths"`
	}
	if err := json.Unmarshal(doc, &got); err != nil {
		t.Fatal(err)
	}
	want := "/healthz /metrics /readyz /v1/arms /v1/decisions /v1/decisions/batch /v1/ledger /v1/peers /v1/rewards /v1/rewards/batch /v1/status"
	if paths := strings.Join(slices.Sorted(maps.Keys(got.Paths)), " "); paths != want {
		t.Error(paths)
	}
	for range 5 { // maps are in it
		if again, err := spec(s.table()); err != nil || string(again) != string(doc) {
			t.Fatal("another document", err)
		}
	}
}
