package program

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A File is one that a word of a command names.
type File struct {
	Word    string
	Content []byte
	Mode    fs.FileMode
}

// Files returns the files of a command, which are looked up in a folder and then where this process runs, and the
// command with their paths. A word without a file stays as it is.
func Files(command []string, folder string) (all []File, located []string, err error) {
	for i, word := range command {
		located = append(located, word)
		if i == 0 && !strings.ContainsRune(word, filepath.Separator) {
			continue // a program that is installed
		}
		for _, path := range []string{filepath.Join(folder, word), word} {
			if filepath.IsAbs(word) {
				path = word
			}
			info, err := os.Stat(path)
			if err != nil || !info.Mode().IsRegular() {
				continue
			}
			if located[i], err = filepath.Abs(path); err != nil {
				return nil, nil, err
			}
			content, err := os.ReadFile(path)
			if err != nil {
				return nil, nil, err
			}
			all = append(all, File{word, content, info.Mode().Perm()})
			break
		}
	}
	return all, located, nil
}
