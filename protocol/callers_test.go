package protocol

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestFewMayMakeMessages: Decode makes a message of any bytes, and Presence and EndRound
// put a number into one. The compiler cannot tell an honest caller from another, so
// every caller outside tests is on this list, to be read with that in mind.
func TestFewMayMakeMessages(t *testing.T) {
	allowed := map[string][]string{
		`protocol\.Decode\(`:            {"gossip/inbound.go", "gossip/topic.go", "node/sim/liars.go", "node/site/log_record.go", "node/site/outbox.go", "protocol/protocoltest/network.go"}, // off the wire, a liar's, or out of the store
		`\.(mixed|counts|mine)\.Load\b`: {"protocol/average_state.go"},                                                                                                                       // out of the store
		`dp\.NewSecret\(`:               {"node/agent_state.go", "node/site/log_record.go", "node/site/restore.go"},
		`protocol\.Presence\(`:          {"gossip/topic.go"},
		`out\.EndRound\(`:               {"node/agent.go"},
	}
	for pattern, files := range allowed {
		call, seen := regexp.MustCompile(pattern), map[string]bool{}
		err := filepath.WalkDir("..", func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
				return err
			}
			b, err := os.ReadFile(file)
			if err == nil && call.Match(b) {
				seen[filepath.ToSlash(strings.TrimPrefix(file, ".."+string(filepath.Separator)))] = true
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if !seen[f] {
				t.Errorf("%s does not call %s any more: take it off the list", f, pattern)
			}
			delete(seen, f)
		}
		for f := range seen {
			t.Errorf("%s calls %s: is what it passes public?", f, pattern)
		}
	}
}
