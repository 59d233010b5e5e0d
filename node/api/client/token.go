package client

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
)

var aToken = regexp.MustCompile(`^[!-~]{1,512}$`)

// readToken returns the token in a file. An error wraps [ErrToken] and has no text of the file.
func readToken(path string) (string, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrToken, err)
	}
	token := bytes.TrimSpace(bytes.TrimPrefix(b, []byte("\ufeff")))
	why := "its text is none"
	switch {
	case aToken.Match(token):
		return string(token), nil
	case len(token) == 0:
		why = "it is empty"
	case bytes.IndexByte(b, 0) >= 0:
		why = "it is not UTF-8"
	case bytes.IndexByte(token, '\n') >= 0:
		why = "it has more than one line"
	}
	return "", fmt.Errorf("%w in %s: %s", ErrToken, path, why)
}
