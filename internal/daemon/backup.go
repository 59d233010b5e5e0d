package daemon

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"peerd.dev/internal/config"
	"peerd.dev/internal/terminal"
	"peerd.dev/node/api"
	"peerd.dev/node/decision"
)

// Backup implements [Player]. The copy of the store is in the folder meanwhile, so that tables are linked and not copied.
func (p *live) Backup(_ context.Context, to io.Writer) (err error) {
	if !p.backup.TryLock() {
		return &decision.Refusal{Code: decision.Unavailable, Reason: "another backup is being written: wait until it is done"}
	}
	defer p.backup.Unlock()
	dir := p.deployment.s.Dir
	room, remove, err := terminal.Scratch(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	if err = p.site.CopyStore(filepath.Join(room, StoreDir)); err != nil {
		return err
	}
	copied, err := readFiles(p.deployment.s, room) // the watermark of the copy, in place of the store's
	if err != nil {
		return err
	}
	held, err := readFiles(p.deployment.s, dir)
	if err != nil {
		return err
	}
	held = slices.DeleteFunc(held, func(f heldFile) bool { return f.name == copied[0].name })
	return archive(to, dir, append(held, copied...), filepath.Join(room, StoreDir))
}

// WriteBackup writes the folder of a peer, which may run, to an archive.
func WriteBackup(ctx context.Context, s *config.Settings, to io.Writer) error {
	dir := s.Dir
	unlock, err := LockDir(dir)
	if errors.Is(err, errInUse) {
		return api.Download(ctx, dir, "/v1/backup", to)
	}
	if err != nil {
		return err
	}
	defer unlock()
	held, err := readFiles(s, dir)
	if err != nil {
		return err
	}
	if _, err = os.Stat(filepath.Join(dir, StoreDir)); err != nil {
		return config.Failf(config.ErrUnexpected, "dir %s holds no store: the peer was never started with mode: live", dir)
	}
	return archive(to, dir, held, filepath.Join(dir, StoreDir))
}

// unpackBackup writes the files of a running peer's folder below at, where the store is in its usual place.
func unpackBackup(ctx context.Context, dir, at string) error {
	root, err := os.OpenRoot(at)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	r, w := io.Pipe()
	go func() { w.CloseWithError(api.Download(ctx, dir, "/v1/backup", w)) }()
	defer func() { _ = r.Close() }() // ends the download
	packed, err := gzip.NewReader(r)
	if err != nil {
		return err
	}
	for archived := tar.NewReader(packed); ; {
		h, err := archived.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		_, name, _ := strings.Cut(h.Name, "/") // without the folder's own name
		if h.Typeflag == tar.TypeReg {
			err = writeFile(root, name, archived)
		} else if name != "" {
			err = root.Mkdir(strings.TrimSuffix(name, "/"), 0o700)
		}
		if err != nil {
			return err
		}
	}
}

// writeFile writes a new file of mode 0600.
func writeFile(in *os.Root, name string, from io.Reader) (err error) {
	f, err := in.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	_, err = io.Copy(f, from)
	return err
}

// A heldFile is a file of a peer's folder.
type heldFile struct {
	name    string
	content []byte
	mode    os.FileMode
	at      time.Time
}

// consists reports whether a peer's folder consists of a file, its store aside. Others, such as earlier backups, are no part of one.
func consists(s *config.Settings, name string) bool {
	own := append(api.TokenFiles(), NextKey, StoreDir+".watermark")
	for _, path := range []string{s.NetworkPath(), s.IdentityPath(), s.FirstIdentityPath()} {
		own = append(own, filepath.Base(path))
	}
	return slices.Contains(own, name) || filepath.Ext(name) == filepath.Ext(config.FileName)
}

// readFiles reads what a peer's folder consists of, without its store.
func readFiles(s *config.Settings, dir string) (all []heldFile, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if !e.Type().IsRegular() || !consists(s, e.Name()) {
			continue
		}
		i, err := e.Info()
		if err != nil {
			return nil, err
		}
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		all = append(all, heldFile{e.Name(), b, i.Mode().Perm(), i.ModTime()})
	}
	return all, nil
}

// archive writes files, and a store as the folder of the store, to a compressed archive. Names begin with the
// name of the peer's folder.
func archive(to io.Writer, dir string, held []heldFile, storeAt string) error {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	base := filepath.Base(abs)
	packed := gzip.NewWriter(to)
	w := tar.NewWriter(packed)
	now := time.Now()
	folder := func(name string) error {
		return w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: name + "/", Mode: 0o700, ModTime: now})
	}
	if err = folder(base); err != nil {
		return err
	}
	for _, f := range held {
		if err = w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: base + "/" + f.name, Mode: int64(f.mode), Size: int64(len(f.content)), ModTime: f.at}); err != nil {
			return err
		}
		if _, err = w.Write(f.content); err != nil {
			return err
		}
	}
	if err = folder(base + "/" + StoreDir); err != nil {
		return err
	}
	entries, err := os.ReadDir(storeAt)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Type().IsRegular() {
			if err = add(w, filepath.Join(storeAt, e.Name()), base+"/"+StoreDir+"/"+e.Name()); err != nil {
				return err
			}
		}
	}
	return errors.Join(w.Close(), packed.Close())
}

// add adds a file, which does not change, to an archive.
func add(w *tar.Writer, path, name string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // it was only read
	i, err := f.Stat()
	if err != nil {
		return err
	}
	if err = w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o600, Size: i.Size(), ModTime: i.ModTime()}); err != nil {
		return err
	}
	_, err = io.Copy(w, f)
	return err
}
