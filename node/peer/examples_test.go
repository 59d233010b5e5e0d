package peer_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"peerd.dev/node/peer"
)

// TestExamples builds the modules of docs/examples/go, each with the requirements and sums of this
// module, and runs them.
func TestExamples(t *testing.T) {
	for name, want := range map[string]string{
		"learner":  "peer 2 pulls the better arm most: true\naudit passed: true\nlive: the second peer has estimates from the first, refused: 0\n",
		"protocol": "refused: 0\nsimulator: peer 0 pulls the better arm most: true\nsimulator: peer 1 pulls the better arm most: true\nsimulator: peer 2 pulls the better arm most: true\naudit passed: true\nlive: the second peer has estimates from the first, refused: 0\n",
		"embed":    "counted: true\ncounted: true\ncounted: true\nnorth of example: 3 decisions wait, ε 1 charged, 0 left\n",
	} {
		t.Run(name, func(t *testing.T) {
			program := build(t, name)
			var args []string
			if name == "embed" {
				args = []string{folder(t)}
			}
			var stderr bytes.Buffer
			c := exec.CommandContext(t.Context(), program, args...)
			c.Stderr = &stderr
			out, err := c.Output()
			if err != nil {
				t.Fatalf("%v: %s", err, stderr.Bytes())
			}
			if !strings.HasSuffix(string(out), want) {
				t.Errorf("printed\n%s\nwant at the end\n%s", out, want)
			}
		})
	}
}

// TestPersonalizer compiles the adapter of docs/examples/go/personalizer, and runs its tests.
func TestPersonalizer(t *testing.T) {
	goTool(t, "personalizer", "test", "-vet=off", "-ldflags=-s", ".") // vet would read all libraries once more
}

// build builds a module of docs/examples/go without a network, and returns the program.
func build(t *testing.T, name string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), name)
	goTool(t, name, "build", "-ldflags=-s", "-o", program, ".")
	return program
}

// goTool runs the go command in a module of docs/examples/go, without a network.
func goTool(t *testing.T, name, command string, args ...string) {
	t.Helper()
	root := filepath.Join("..", "..")
	source, dir := filepath.Join(root, "docs", "examples", "go", name), t.TempDir()
	for from, to := range map[string]string{filepath.Join(source, "go.mod"): "go.mod", filepath.Join(root, "go.sum"): "go.sum"} {
		b, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		if err = os.WriteFile(filepath.Join(dir, to), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := exec.CommandContext(t.Context(), "go", append([]string{command, "-mod=mod", "-modfile=" + filepath.Join(dir, "go.mod")}, args...)...)
	c.Dir, c.Env = source, append(os.Environ(), "GOPROXY=off")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// folder makes the folder of the first of a network's two peers.
func folder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	network := fmt.Sprintf("name: example\nstart: %s\nevery: 1s\nlinks: [[0, 1]]\npeers:\n", time.Now().UTC().Format(time.RFC3339))
	for _, name := range []string{"north", "south"} {
		id, err := peer.Init(filepath.Join(dir, name), peer.Set("arms", "[red, green]"), peer.Set("privacy.epsilon", "1"), peer.Set("listen", "[/ip4/127.0.0.1/tcp/0]"))
		if err != nil {
			t.Fatal(err)
		}
		network += fmt.Sprintf("  - {name: %s, id: %s, addrs: [/ip4/127.0.0.1/tcp/8471]}\n", name, id)
	}
	if err := os.WriteFile(filepath.Join(dir, "north", "network.yaml"), []byte(network), 0o600); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "north")
}
