package api

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"peerd.dev/internal/require"
)

// TestTokensHaveRoles: each token has its role's rights, and a refusal names the required role,
// never a token.
func TestTokensHaveRoles(t *testing.T) {
	f := newFake()
	f.inside = &Inside{Given: 1}
	r := run(t, f)
	tokens := make(map[role]string)
	for _, of := range roles() {
		b := require.Value(os.ReadFile(filepath.Join(r.dir, of.file())))(t)
		if info, err := os.Stat(filepath.Join(r.dir, of.file())); err != nil || info.Mode() != 0o600 {
			t.Error(of.file(), info, err)
		}
		tokens[of] = string(b)
	}
	for _, c := range []struct {
		of     role
		method string
		path   string
		want   int
	}{
		{reads, get, "/v1/status", 200},
		{reads, get, "/metrics", 200},
		{reads, get, "/v1/ledger", 200},
		{reads, get, "/v1/inside", 403},
		{reads, http.MethodHead, "/v1/inside", 403},
		{nobody, get, "/v1/inside", 401},
		{writes, get, "/v1/inside", 200},
		{admin, get, "/v1/inside", 200},
		{admin, get, "/v1/backup", 403},
		{admin, get, "/v1/receipts", 403},
		{reads, post, "/v1/decisions", 403},
		{reads, post, "/v1/rewards/batch", 403},
		{reads, http.MethodDelete, "/v1/status", 403},
		{writes, get, "/v1/status", 200},
		{writes, post, "/v1/decisions", 200},
		{admin, get, "/v1/status", 200},
		{admin, post, "/v1/decisions", 200},
		{nobody, get, "/v1/status", 401},
		{nobody, post, "/v1/decisions", 401},
	} {
		req := require.Value(http.NewRequestWithContext(t.Context(), c.method, r.base+c.path, strings.NewReader("{}")))(t)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Authorization", "Bearer "+tokens[c.of])
		res := require.Value(http.DefaultClient.Do(req))(t)
		b, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if err != nil || res.StatusCode != c.want {
			t.Errorf("%s %s as %s: %d (%v), want %d", c.method, c.path, c.of, res.StatusCode, err, c.want)
		}
		if c.want == 403 && c.of == reads && c.method != http.MethodHead && (!strings.Contains(string(b), `"code":"role"`) || !strings.Contains(string(b), "has role read, and this needs role write")) {
			t.Errorf("refused as %s", b)
		}
		for _, token := range tokens {
			if strings.Contains(string(b), token) {
				t.Errorf("a token is in %s", b)
			}
		}
	}
}
