package api

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// TokenFile is the file in a peer's folder that holds the token of requests over TCP.
const TokenFile = "api.token"

const tokenBytes = 32 // of randomness

// token reads the token of a directory. The first start makes it.
func token(dir string) ([]byte, error) {
	path := filepath.Join(dir, TokenFile)
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
