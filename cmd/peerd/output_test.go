//go:build linux

package main

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"peerd.dev/internal/command"
	"peerd.dev/internal/peerdtest"
	"peerd.dev/internal/require"
	"peerd.dev/internal/terminal"
	whole "peerd.dev/internal/terminal/output"
)

// An output is a command with -o: what it writes, and the other words of its line, given a site's folder.
type output struct {
	file bool // or a folder
	line func(dir string) []string
}

// outputs has all commands with -o.
func outputs() map[string]output {
	of := func(words ...string) func(dir string) []string {
		return func(dir string) []string { return slices.Concat(words, []string{"--dir", dir}) }
	}
	lab := func(words ...string) func(dir string) []string { return func(string) []string { return words } }
	return map[string]output{
		"backup":            {true, of("backup")},
		"audit bundle":      {true, of("audit", "bundle")},
		"decisions export":  {true, of("decisions", "export", "--format", "csv")},
		"ledger export":     {true, of("ledger", "export")},
		"experiment run":    {false, lab("experiment", "run", "../../configs/rows.yaml", "--set", "rounds.count=100", "--set", "experiment.seeds=1")},
		"experiment merge":  {false, lab("experiment", "merge", "testdata")},
		"experiment report": {false, lab("experiment", "report", "testdata")},
		"experiment claims": {false, lab("experiment", "claims", "P1", "--quick")},
	}
}

// TestEveryOutputIsInTheTable: a new command with -o has to be added, and so is tried with what it must not replace.
func TestEveryOutputIsInTheTable(t *testing.T) {
	var all []string
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		if c.Flags().ShorthandLookup("o") != nil {
			all = append(all, strings.TrimPrefix(c.CommandPath(), "peerd "))
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(command.NewRoot(&command.App{}))
	slices.Sort(all)
	if table := slices.Sorted(maps.Keys(outputs())); !slices.Equal(all, table) {
		t.Errorf("-o have %v,\nand the table has %v", all, table)
	}
}

// atypical makes what an output must not replace, with a word of what is said of it.
func atypical(t *testing.T, in string) map[string]string {
	t.Helper()
	at := func(name string) string { return filepath.Join(in, name) }
	s := require.Value(net.Listen("unix", at("socket")))(t)
	t.Cleanup(func() { _ = s.Close() })
	require.NoError(t, errorsOf(syscall.Mkfifo(at("pipe"), 0o600), os.Symlink("pipe", at("to-pipe")), os.Symlink("nowhere", at("dangling")),
		os.Mkdir(at("folder"), 0o700), os.Symlink("/proc/self/fd/1", at("stdout")), os.WriteFile(at("file"), nil, 0o600)))
	return map[string]string{
		at("pipe"): "is no file but a pipe", at("to-pipe"): "is no file but a pipe", at("socket"): "is no file but a socket", at("folder"): "is no file but a folder",
		at("dangling"): "what it links to, is not there", at("stdout"): "is no file but ", at("missing/x"): at("missing/x") + ": its folder", at("file/x"): "not a directory",
	}
}

// looks returns what is in a folder and what it is.
func looks(t *testing.T, dir string) (all []string) {
	t.Helper()
	entries := require.Value(os.ReadDir(dir))(t)
	for _, e := range entries {
		i := require.Value(e.Info())(t)
		all = append(all, e.Name()+" "+i.Mode().String())
	}
	return all
}

// TestAnOutputReplacesOnlyFiles: by no command is anything replaced that is there and is no regular file; it is refused with a
// sentence and code 2, and no other file is left.
func TestAnOutputReplacesOnlyFiles(t *testing.T) {
	dir := aStoppedSite(t)
	in := peerdtest.Dir(t)
	wrong := atypical(t, in)
	before := looks(t, in)
	for what, o := range outputs() {
		for path, says := range wrong {
			if !o.file {
				if _, err := os.Stat(path); err != nil && !strings.HasSuffix(path, "/file/x") || strings.HasSuffix(path, "/folder") {
					continue // a folder is made there
				}
				says = ""
			}
			c, stdout, stderr := peerd(t, append(o.line(dir), "-o", path)...)
			if c != exitUsage || !strings.Contains(stderr, says) || stdout != "" {
				t.Errorf("%s -o %s: code %d, want 2 and %q:\n%s%s", what, path, c, says, stdout, stderr)
			}
			if after := looks(t, in); !slices.Equal(before, after) {
				t.Fatalf("%s -o %s left %v, want %v", what, path, after, before)
			}
		}
		if !o.file {
			continue
		}
		t.Run(what, func(t *testing.T) {
			lines := o.line(dir)
			t.Chdir(in)
			for _, name := range []string{"", ".", "folder/"} {
				if c, _, stderr := peerd(t, append(lines, "-o", name)...); c != exitUsage || stderr == "" {
					t.Errorf("-o %q: code %d: %s", name, c, stderr)
				}
			}
			if after := looks(t, in); !slices.Equal(before, after) {
				t.Errorf("%v, want %v", after, before)
			}
		})
	}
}

// TestAnOutputFollowsALink: its file is replaced, whole, and it stays a link.
func TestAnOutputFollowsALink(t *testing.T) {
	dir, in := aStoppedSite(t), t.TempDir()
	target, link := filepath.Join(in, "real", "x"), filepath.Join(in, "link")
	require.NoError(t, errorsOf(os.Mkdir(filepath.Dir(target), 0o700), os.Symlink("real/x", link)))
	for what, o := range outputs() {
		if !o.file {
			continue
		}
		const was = "an earlier output, longer than the new one is not"
		require.NoError(t, os.WriteFile(target, []byte(was), 0o600))
		does(t, append(o.line(dir), "-o", link)...)
		to, err := os.Readlink(link)
		if b, wrong := os.ReadFile(target); err != nil || wrong != nil || to != "real/x" || string(b) == was {
			t.Errorf("%s: %s, %q (%v, %v)", what, to, b, err, wrong)
		}
		for _, folder := range []string{in, filepath.Dir(target)} {
			if all := looks(t, folder); len(all) > 2 {
				t.Errorf("%s leaves %v", what, all)
			}
		}
	}
}

// TestAnOutputIsNoDevice, as root either, in a namespace with a device of its own.
func TestAnOutputIsNoDevice(t *testing.T) {
	if !peerdtest.Mountable(t) {
		return
	}
	dir, in := aStoppedSite(t), t.TempDir()
	if err := syscall.Mount("tmpfs", in, "tmpfs", 0, "size=1m"); err != nil {
		t.Skip(err)
	}
	defer func() { _ = syscall.Unmount(in, syscall.MNT_DETACH) }()
	device := filepath.Join(in, "null")
	if err := syscall.Mknod(device, syscall.S_IFCHR|0o666, 1<<8|3); err != nil {
		t.Skip(err)
	}
	before := looks(t, in)
	for what, o := range outputs() {
		if c, _, stderr := peerd(t, append(o.line(dir), "-o", device)...); c != exitUsage || o.file && !strings.Contains(stderr, "is no file but a device") {
			t.Errorf("%s: code %d: %s", what, c, stderr)
		}
		if after := looks(t, in); !slices.Equal(before, after) {
			t.Fatalf("%s left %v, want %v", what, after, before)
		}
	}
}

// TestAnOutputThatFailsLeavesNothing: an error, or an interrupt in the middle, leaves what was there and no temporary file.
func TestAnOutputThatFailsLeavesNothing(t *testing.T) {
	in := t.TempDir()
	name := filepath.Join(in, "x")
	require.NoError(t, os.WriteFile(name, []byte("before"), 0o600))
	ctx, interrupt := context.WithCancel(t.Context())
	broken := errors.New("broken")
	for want, do := range map[error]func(f *os.File) error{
		broken: func(*os.File) error { return broken },
		context.Canceled: func(f *os.File) error {
			interrupt()
			for end := time.Now().Add(10 * time.Second); time.Now().Before(end); {
				if _, err := f.WriteString("more"); err != nil {
					return err
				}
			}
			return errors.New("it is written on")
		},
	} {
		use := t.Context()
		if errors.Is(want, context.Canceled) {
			use = ctx
		}
		if err := whole.WriteFile(use, name, 0o600, do); !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
		if b, err := os.ReadFile(name); err != nil || string(b) != "before" || len(looks(t, in)) != 1 {
			t.Errorf("%q, %v, %v", b, err, looks(t, in))
		}
	}
}

// TestWhatAKilledOutputLeftIsRemoved: by the next output there; what another process writes stays, and so does a site's folder
// whatever its name is.
func TestWhatAKilledOutputLeftIsRemoved(t *testing.T) {
	in := t.TempDir()
	site := filepath.Join(in, ".peerd-output-site")
	left, used := filepath.Join(in, ".peerd-output-1"), ""
	require.NoError(t, errorsOf(os.MkdirAll(site, 0o700), os.WriteFile(filepath.Join(site, "lock"), nil, 0o600),
		os.MkdirAll(filepath.Join(left, "store"), 0o700), os.WriteFile(filepath.Join(left, "output.lock"), nil, 0o600)))
	used, remove, err := terminal.Scratch(in)
	if err != nil {
		t.Fatal(err)
	}
	require.NoError(t, whole.WriteFile(t.Context(), filepath.Join(in, "x"), 0o600, func(*os.File) error { return nil }))
	want := []string{filepath.Base(site) + " drwx------", filepath.Base(used) + " drwx------", "x -rw-------"}
	slices.Sort(want)
	if all := looks(t, in); !slices.Equal(all, want) {
		t.Errorf("%v, want %v", all, want)
	}
	if err := remove(); err != nil {
		t.Error(err)
	}
}

// TestABackupHasWhatAFolderConsistsOf: nothing else that lies there, such as the backups before it, of a running peer and of a
// stopped one.
func TestABackupHasWhatAFolderConsistsOf(t *testing.T) {
	dir := aSite(t, "arms=red,green", "api.window=2s")
	night := func() (names []string) {
		file := filepath.Join(dir, "backup.tgz")
		does(t, "backup", "--dir", dir, "-o", file)
		f := require.Value(os.Open(file))(t)
		defer func() { _ = f.Close() }()
		packed := require.Value(gzip.NewReader(f))(t)
		for r := tar.NewReader(packed); ; {
			h, err := r.Next()
			if errors.Is(err, io.EOF) {
				slices.Sort(names)
				return names
			}
			if err != nil {
				t.Fatal(err)
			}
			if name := strings.TrimPrefix(h.Name, "a/"); name != "" && !strings.HasPrefix(name, "store/") {
				names = append(names, name)
			}
		}
	}
	same := func(want ...string) {
		t.Helper()
		for range 2 {
			if got := night(); !slices.Equal(got, want) {
				t.Errorf("%v, want %v", got, want)
			}
		}
	}
	put := func(content []byte, names ...string) {
		for _, name := range names {
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), content, 0o600))
		}
	}
	put(nil, "notes.txt", "decisions.parquet", "store.damaged")
	t.Run("running", func(t *testing.T) {
		served(t, dir)
		same("identity.key", "network.json", "peerd.yaml", "store.watermark")
	})
	key := require.Value(os.ReadFile(filepath.Join(dir, "identity.key")))(t)
	put(key, "identity.first.key", "identity.next.key")
	put(nil, "api.token")
	same("api.token", "identity.first.key", "identity.key", "identity.next.key", "network.json", "peerd.yaml", "store.watermark")
}
