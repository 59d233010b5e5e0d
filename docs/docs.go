// Package docs has what a peer serves of its documentation.
package docs

import _ "embed"

// OpenAPI is openapi.json, which the tests of package api write.
//
//go:embed openapi.json
var OpenAPI []byte // only read
