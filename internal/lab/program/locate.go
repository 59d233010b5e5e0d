package program

import (
	"crypto/sha256"
	"os"
	"path/filepath"
	"strings"
)

// A File is one that a word of a command names.
type File struct {
	Word string
	Path string
	Sum  [sha256.Size]byte // of its content
}

// Files returns the files of a command, which are looked up in a folder and then where this process runs.
func Files(command []string, folder string) (all []File, err error) {
	for i, word := range command {
		if i == 0 && !strings.ContainsRune(word, filepath.Separator) {
			continue // a program that is installed
		}
		for _, path := range []string{filepath.Join(folder, word), word} {
			if filepath.IsAbs(word) {
				path = word
			}
			if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
				continue
			}
			if path, err = filepath.Abs(path); err != nil {
				return nil, err
			}
			content, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			all = append(all, File{word, path, sha256.Sum256(content)})
			break
		}
	}
	return all, nil
}

// locate returns a command with the paths of its files. A word without a file stays as it is.
func locate(command []string, folder string) ([]string, error) {
	files, err := Files(command, folder)
	var located []string
	for _, word := range command {
		if len(files) > 0 && files[0].Word == word {
			word, files = files[0].Path, files[1:]
		}
		located = append(located, word)
	}
	return located, err
}
