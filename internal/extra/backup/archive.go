package backup

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"peerd.dev/internal/config"
	"peerd.dev/internal/daemon"
	"peerd.dev/node/api"
)

// copyFolder writes the folder of a peer, which may run, to an archive.
func copyFolder(ctx context.Context, s *config.Settings, to io.Writer) error {
	dir := s.Dir
	unlock, err := daemon.LockDir(dir)
	if errors.Is(err, daemon.ErrInUse) {
		return api.Download(ctx, dir, "/v1/backup", to)
	}
	if err != nil {
		return err
	}
	defer unlock()
	if st, err := daemon.ReadStore(dir); err == nil {
		_ = st.Close() // it was only read
	} else if errors.As(err, new(*config.Fault)) { // a damaged store is copied as it is
		return err
	}
	return archive(to, s, dir)
}

// consists reports whether a peer's folder consists of a file, its store aside. Others, such as earlier backups, are no part of one.
func consists(s *config.Settings, name string) bool {
	own := append(api.TokenFiles(), daemon.NextKey)
	for _, path := range []string{s.NetworkPath(), s.IdentityPath(), s.FirstIdentityPath()} {
		own = append(own, filepath.Base(path))
	}
	return slices.Contains(own, name) || filepath.Ext(name) == filepath.Ext(config.FileName)
}

// archive writes a peer's folder, with the store and the watermark that are in another, to a compressed archive. Names begin with the
// name of the peer's folder.
func archive(to io.Writer, s *config.Settings, storeIn string) error {
	abs, err := filepath.Abs(s.Dir)
	if err != nil {
		return err
	}
	base := filepath.Base(abs)
	packed := gzip.NewWriter(to)
	w := tar.NewWriter(packed)
	all := func(from, as string, some func(name string) bool) error {
		entries, wrong := os.ReadDir(from)
		if wrong != nil {
			return wrong
		}
		if err = w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: as + "/", Mode: 0o700, ModTime: time.Now()}); err != nil {
			return err
		}
		for _, e := range entries {
			if e.Type().IsRegular() && some(e.Name()) {
				if err = add(w, filepath.Join(from, e.Name()), as+"/"+e.Name()); err != nil {
					return err
				}
			}
		}
		return nil
	}
	if err = all(s.Dir, base, func(name string) bool { return consists(s, name) }); err != nil {
		return err
	}
	const watermark = daemon.StoreDir + ".watermark"
	if err = add(w, filepath.Join(storeIn, watermark), base+"/"+watermark); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err = all(filepath.Join(storeIn, daemon.StoreDir), base+"/"+daemon.StoreDir, func(string) bool { return true }); err != nil {
		return err
	}
	return errors.Join(w.Close(), packed.Close())
}

// add adds a file, which is replaced if it changes, to an archive.
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
