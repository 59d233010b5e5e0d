package api

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strconv"
	"strings"
)

// Version is the version of the API, not of the program: it changes when a program written for
// the API may have to change.
const Version = "1.0.0"

// spec describes routes in OpenAPI 3.1.
func spec(routes []route) ([]byte, error) {
	all, paths := schemas{}, object{}
	for _, r := range routes {
		if r.takes != nil {
			all.of(r.takes, true) // requests first: only they forbid unknown fields, since a later peer may add fields to answers
		}
	}
	for _, r := range routes {
		wrong := content("application/problem+json", all.of(reflect.TypeFor[Problem](), false))
		paths[r.path] = object{strings.ToLower(r.method): all.operation(r, wrong)}
	}
	b, err := json.MarshalIndent(object{
		"openapi": "3.1.0",
		"info": object{
			"title": "peerd", "version": Version,
			"description": "The API of a peer for the application of its site. Over the unix socket in the peer's folder it needs no token; over TCP, on a loopback address, it needs a token of that folder: api.read.token for what asks, api.write.token for decisions and rewards, api.token for all.",
		},
		"servers": []object{{"url": "http://127.0.0.1:8470"}},
		"components": object{
			"schemas": all,
			"securitySchemes": object{
				"token": object{"type": "http", "scheme": "bearer"},
			},
		},
		"paths": paths,
	}, "", "  ")
	return append(b, '\n'), err
}

// operation describes one route; wrong is the content of its problems.
func (all schemas) operation(r route, wrong object) object {
	o := object{"operationId": r.id, "summary": r.summary, "security": []object{{"token": []string{}}, {}}}
	fails := append([]int{401, 403, 500}, r.fails...)
	if r.public {
		o["security"] = []object{{}}
		fails = append([]int{403, 500}, r.fails...)
	}
	if r.local {
		o["security"] = []object{{}}
		fails = append([]int{403, 500}, r.fails...)
	}
	if r.about != "" {
		o["description"] = r.about
	}
	if r.params != nil {
		o["parameters"] = r.params
	}
	if r.takes != nil {
		o["requestBody"] = object{"required": true, "content": content("application/json", all.of(r.takes, true))}
	}
	gives := content(r.kind, object{"type": "string"})
	if r.gives != nil {
		gives = content("application/json", all.of(r.gives, false))
	}
	responses := object{strconv.Itoa(max(r.done, http.StatusOK)): object{"description": "Done.", "content": gives}}
	if r.done == http.StatusNoContent {
		responses = object{strconv.Itoa(r.done): object{"description": "Done."}}
	}
	for _, status := range fails {
		responses[strconv.Itoa(status)] = object{"description": meaning(status), "content": wrong}
	}
	o["responses"] = responses
	return o
}

// content is a body of one media type.
func content(kind string, schema object) object { return object{kind: object{"schema": schema}} }

// ledgerParams describes what ledgerQuery reads.
func ledgerParams() []object {
	number := func(name, about string, least, most, otherwise uint64) object {
		return object{"name": name, "in": "query", "description": about, "schema": object{
			"type": "integer", "minimum": least, "maximum": most, "default": otherwise,
		}}
	}
	return []object{
		number("from", "Number of the first record.", 0, maxLedgerFrom, 0),
		number("limit", "Maximum number of records.", 1, maxLedgerLines, ledgerLines),
		{"name": "newest", "in": "query", "description": "The newest records, this many, in place of from and limit.", "schema": object{
			"type": "integer", "minimum": 1, "maximum": maxLedgerLines,
		}},
	}
}

// meaning returns what a status means in this API.
func meaning(status int) string {
	switch status {
	case 400:
		return "The body is not JSON."
	case 401:
		return "No token, or a wrong one."
	case 403:
		return "The token is good for less, the request comes from a web page, or the peer plays a simulated world and takes neither decisions nor rewards."
	case 404:
		return "No such decision."
	case 409:
		return "The id has another decision or reward already; nothing was changed."
	case 410:
		return "The time to report the reward is over, or the table is forgotten."
	case 413:
		return "The body is too large."
	case 415:
		return "The body is not application/json."
	case 422:
		return "A field is wrong; errors lists which."
	case 503:
		return "The peer is not ready, or it is shutting down; try again."
	case 507:
		return "The disk is full; nothing was stored."
	}
	return http.StatusText(status)
}
