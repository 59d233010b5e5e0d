package api

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
)

// TokenFile is the file in a peer's folder with the token that allows all requests over TCP.
const TokenFile = "api.token"

const tokenBytes = 32 // of randomness

// A role is what a token allows. Each includes those before it.
type role uint8

const (
	nobody role = iota
	reads       // status, arms, peers, ledger, metrics
	writes      // also decisions, rewards, and what follows from exact rewards
	admin       // everything
)

// roles lists the roles that have a token.
func roles() []role { return []role{reads, writes, admin} }

func (r role) String() string { return [...]string{"no role", "read", "write", "admin"}[r] }

// file returns the file of its token in a peer's folder.
func (r role) file() string {
	if r == admin {
		return TokenFile
	}
	return "api." + r.String() + ".token"
}

// TokenFiles lists the files in a peer's folder that hold tokens, one for each role.
func TokenFiles() (all []string) {
	for _, r := range roles() {
		all = append(all, r.file())
	}
	return all
}

// needs returns the role that a request needs.
func needs(method string) role {
	if method == http.MethodGet || method == http.MethodHead {
		return reads
	}
	return writes
}

// roleOf returns the role of a token.
func (s *Server) roleOf(token string) (of role) {
	for r, t := range s.tokens {
		if role(r) != nobody && subtle.ConstantTimeCompare([]byte(token), t) == 1 {
			of = role(r)
		}
	}
	return of
}

// readTokens reads the tokens of a directory.
func readTokens(dir string) (all [admin + 1][]byte, err error) {
	for _, r := range roles() {
		if all[r], err = token(dir, r.file()); err != nil {
			return all, err
		}
	}
	return all, nil
}

// token reads a token of a directory, and makes it at the first start.
func token(dir, file string) ([]byte, error) {
	path := filepath.Join(dir, file)
	made, err := makeToken(path)
	if err == nil || !errors.Is(err, fs.ErrExist) {
		return made, err
	}
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("api token %s is not a file: remove it, and the next start makes one", path)
	}
	if m := info.Mode().Perm(); m&0o077 != 0 {
		return nil, fmt.Errorf("api token %s has mode %#o, so others may have read it: remove it, and the next start makes another", path, m)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	form := base64.RawURLEncoding.Strict()
	if _, err := form.DecodeString(string(b)); err != nil || len(b) != form.EncodedLen(tokenBytes) {
		return nil, fmt.Errorf("api token %s does not hold a token: remove it, and the next start makes one", path)
	}
	return b, nil
}

func makeToken(path string) (_ []byte, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err = errors.Join(err, f.Close()); err != nil {
			_ = os.Remove(path)
		}
	}()
	raw := make([]byte, tokenBytes)
	_, _ = rand.Read(raw) // never fails
	b := base64.RawURLEncoding.AppendEncode(nil, raw)
	if _, err = f.Write(b); err != nil {
		return nil, err
	}
	return b, f.Sync()
}
