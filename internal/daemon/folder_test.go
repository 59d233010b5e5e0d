package daemon

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"peerd.dev/internal/config"
	"peerd.dev/internal/require"
)

// TestAFileOfAnotherUserIsNamed where permission is denied, with the command that gives it back.
func TestAFileOfAnotherUserIsNamed(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "store", "MANIFEST-000001")
	require.NoError(t, errors.Join(os.Mkdir(filepath.Dir(file), 0o700), os.WriteFile(file, nil, 0o600)))
	denied := &fs.PathError{Op: "open", Path: file, Err: syscall.EACCES}
	if err := withOwner(dir, denied); !errors.Is(err, denied) || err.Error() != denied.Error() {
		t.Errorf("all files have one owner: %v", err)
	}
	if os.Getuid() != 0 {
		t.Skip("only root can give a file away")
	}
	require.NoError(t, os.Lchown(file, 4711, -1))
	want := denied.Error() + ": " + file + " belongs to user 4711, its folder to user 0; run: chown -R 0 " + dir
	if err := withOwner(dir, denied); !errors.Is(err, config.ErrRefused) || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if err := withOwner(dir, syscall.ENOSPC); !errors.Is(err, syscall.ENOSPC) || strings.Contains(err.Error(), "chown") {
		t.Errorf("another error: %v", err)
	}
}
