// Models writes the models of the clients in node/api/client from docs/openapi.json. Run it in the
// repository's root: go run ./scripts/models.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

const specification = "docs/openapi.json"

func main() {
	if err := run("."); err != nil {
		fmt.Fprintln(os.Stderr, "models:", err)
		os.Exit(1)
	}
}

// run writes the models of a repository.
func run(root string) error {
	files, err := render(root)
	if err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(root, filepath.FromSlash(name)), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// render returns the models of a repository, by the names of their files.
func render(root string) (map[string][]byte, error) {
	b, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(specification)))
	if err != nil {
		return nil, err
	}
	s, err := parse(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", specification, err)
	}
	files := make(map[string][]byte)
	for _, l := range languages() {
		if files[l.file], err = l.render(s); err != nil {
			return nil, fmt.Errorf("%s: %w", l.file, err)
		}
	}
	return files, nil
}
