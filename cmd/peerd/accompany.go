//go:build accompany

package main

import (
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra/doc"

	"peerd.dev/internal/command"
	"peerd.dev/internal/version/bill"
)

// With this build tag the program is not a peer: it writes what a release has in addition to its programs. Its arguments are a folder,
// which gets the manual pages and completions, and programs of peerd for any platform, each of which gets its bill of materials
// as a file next to it. SOURCE_DATE_EPOCH dates the pages.
func init() {
	if err := accompany(os.Args[1], os.Args[2:]); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func accompany(dir string, programs []string) error {
	seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	if err != nil {
		return err
	}
	date := time.Unix(seconds, 0).UTC()
	root := command.NewRoot(&command.App{})
	root.DisableAutoGenTag = true
	if err := doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "peerd", Manual: "peerd", Date: &date}, dir); err != nil {
		return err
	}
	for name, write := range map[string]func(string) error{
		"peerd.bash": func(file string) error { return root.GenBashCompletionFileV2(file, true) },
		"_peerd":     root.GenZshCompletionFile,
		"peerd.fish": func(file string) error { return root.GenFishCompletionFile(file, true) },
	} {
		if err := write(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	for _, program := range programs {
		info, err := buildinfo.ReadFile(program)
		if err != nil {
			return err
		}
		text, err := json.MarshalIndent(bill.Of(info), "", "  ")
		if err != nil {
			return err
		}
		if err := os.WriteFile(program+".cdx.json", append(text, '\n'), 0o644); err != nil {
			return err
		}
	}
	return nil
}
