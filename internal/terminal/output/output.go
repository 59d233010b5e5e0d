// Package output writes files that commands make.
package output

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"peerd.dev/internal/terminal"
)

// WriteFile writes an output: whole, or not at all, which ctx can end. What is there and is no regular file stays as it is,
// and so does a link, whose file is replaced; that is found out before do is called. do writes to f, in a private folder.
func WriteFile(ctx context.Context, name string, mode fs.FileMode, do func(f *os.File) error) (err error) {
	if name, err = replaceable(name); err != nil {
		return err
	}
	room, remove, err := terminal.Scratch(filepath.Dir(name))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	f, err := os.OpenFile(filepath.Join(room, "output"), os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { _ = f.Close() })() // ends what writes
	if err = do(f); err == nil {
		err = errors.Join(f.Chmod(mode), f.Sync()) // whatever the umask, which a command of a folder sets
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return cmp.Or(ctx.Err(), err)
	}
	return os.Rename(f.Name(), name)
}

// replaceable returns the path that an output to name replaces.
func replaceable(name string) (string, error) {
	if name == "" || name == "-" {
		return "", terminal.ErrOutput
	}
	is, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		_, link := os.Lstat(name)
		if in, wrong := os.Stat(filepath.Dir(name)); link == nil || wrong != nil || !in.IsDir() {
			return "", fmt.Errorf("%s: its folder, or what it links to, is not there; %w", name, terminal.ErrOutput)
		}
		return name, nil
	}
	if err != nil {
		return "", err
	}
	if own, _ := os.Stdout.Stat(); is.Mode().IsRegular() && !os.SameFile(is, own) {
		return filepath.EvalSymlinks(name)
	}
	kind := map[fs.FileMode]string{0: "standard output", fs.ModeDir: "a folder", fs.ModeNamedPipe: "a pipe", fs.ModeSocket: "a socket"}[is.Mode().Type()]
	return "", fmt.Errorf("%s is no file but %s; %w", name, cmp.Or(kind, "a device"), terminal.ErrOutput)
}
