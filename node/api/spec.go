package api

import (
	"bytes"
	"encoding/json"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// Version is that of the API, not of the program: it changes when a program that
// was written for it may have to.
const Version = "1.0.0"

// spec describes routes in OpenAPI 3.1.
func spec(routes []route) ([]byte, error) {
	schemas := huma.NewMapRegistry("#/components/schemas/", func(t reflect.Type, hint string) string {
		return strings.TrimSuffix(huma.DefaultSchemaNamer(t, hint), "Body")
	})
	doc := &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info: &huma.Info{
			Title: "peerd", Version: Version,
			Description: "What the application of a site asks its peer. On the socket in the peer's folder no token is needed; on TCP, on a loopback address, what is in api.token of that folder.",
		},
		Servers: []*huma.Server{{URL: "http://127.0.0.1:8470"}},
		Components: &huma.Components{
			Schemas:         schemas,
			SecuritySchemes: map[string]*huma.SecurityScheme{"token": {Type: "http", Scheme: "bearer"}},
		},
	}
	asked := make(map[string]bool) // names of schemas of requests, which alone allow no other fields
	for _, r := range routes {
		if r.takes != nil {
			schemas.Schema(r.takes, true, "")
		}
	}
	for name := range schemas.Map() {
		asked[name] = true
	}
	wrong := &huma.MediaType{Schema: schemas.Schema(reflect.TypeFor[Problem](), true, "")}
	for _, r := range routes {
		o := &huma.Operation{
			Method: r.method, Path: r.path, OperationID: r.id, Summary: r.summary, Description: r.about,
			Responses: make(map[string]*huma.Response),
			Security:  []map[string][]string{{"token": {}}, {}},
		}
		fails := append([]int{401, 403, 500}, r.fails...)
		if r.open {
			o.Security = []map[string][]string{{}}
			fails = append([]int{403, 500}, r.fails...)
		}
		if r.takes != nil {
			o.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
				"application/json": {Schema: schemas.Schema(r.takes, true, "")},
			}}
		}
		media := map[string]*huma.MediaType{}
		if r.gives != nil {
			media["application/json"] = &huma.MediaType{Schema: listed(schemas.Schema(r.gives, true, ""))}
		} else {
			media[r.kind] = &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString}}
		}
		o.Responses["200"] = &huma.Response{Description: "Done.", Content: media}
		for _, status := range fails {
			o.Responses[strconv.Itoa(status)] = &huma.Response{
				Description: meaning(status), Content: map[string]*huma.MediaType{"application/problem+json": wrong},
			}
		}
		if r.id == "ledger" {
			o.Parameters = ledgerParams()
		}
		doc.AddOperation(o)
	}
	for name, s := range schemas.Map() {
		if !asked[name] {
			s.AdditionalProperties = nil // a later peer may say more
		}
	}
	b, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err = json.Indent(&out, b, "", "  "); err != nil {
		return nil, err
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

// listed is a schema of a list that is never null.
func listed(s *huma.Schema) *huma.Schema {
	s.Nullable = false
	return s
}

func ledgerParams() []*huma.Param {
	number := func(name, about string, least, most, otherwise float64) *huma.Param {
		return &huma.Param{Name: name, In: "query", Description: about, Schema: &huma.Schema{
			Type: huma.TypeInteger, Minimum: &least, Maximum: &most, Default: otherwise,
		}}
	}
	return []*huma.Param{
		number("from", "Number of the first record.", 0, maxLedgerFrom, 0),
		number("limit", "At most so many records.", 1, maxLedgerLines, ledgerLines),
	}
}

// meaning says what a status means here.
func meaning(status int) string {
	switch status {
	case 400:
		return "The body is not JSON."
	case 401:
		return "No token, or a wrong one."
	case 403:
		return "The request comes from a web page, or the peer plays a simulated world and takes none."
	case 404:
		return "No such decision."
	case 409:
		return "It was decided or rewarded otherwise; nothing was changed."
	case 410:
		return "The time for its reward is over."
	case 413:
		return "The body is too large."
	case 415:
		return "The body is not application/json."
	case 422:
		return "A field is wrong; errors says which."
	case 503:
		return "The peer is not ready, or ending; ask again."
	case 507:
		return "The disk is full; nothing was stored."
	}
	return http.StatusText(status)
}
