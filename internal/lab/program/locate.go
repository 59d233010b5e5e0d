package program

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Locate returns a command with the places of the files that it names, which are looked up in a folder and then where this
// process runs, and a hash of their contents. A word without such a file stays as it is.
func Locate(command []string, folder string) (located []string, sum string, err error) {
	h := sha256.New()
	for i, word := range command {
		path := word
		for _, at := range []string{filepath.Join(folder, word), word} {
			if filepath.IsAbs(word) {
				at = word
			}
			if info, err := os.Stat(at); err == nil && info.Mode().IsRegular() {
				path = at
				break
			}
		}
		// The first word is a program that is installed, unless it says where it is.
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || i == 0 && !strings.ContainsRune(word, filepath.Separator) {
			located = append(located, word)
			continue
		}
		if path, err = filepath.Abs(path); err != nil {
			return nil, "", err
		}
		if err = add(h, word, path); err != nil {
			return nil, "", err
		}
		located = append(located, path)
	}
	return located, hex.EncodeToString(h.Sum(nil)), nil
}

// add adds a file to a hash.
func add(h io.Writer, word, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	inside := sha256.New()
	if _, err = io.Copy(inside, f); err == nil {
		_, err = fmt.Fprintf(h, "%q %x\n", word, inside.Sum(nil))
	}
	return err
}
