package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// beProcess makes the test binary act as the real one, so that tests start real processes without
// building another binary.
const beProcess = "TEST_BE_PEERD"

func TestMain(m *testing.M) {
	if os.Getenv(beProcess) != "" {
		main()
		return
	}
	if err := os.Setenv(beProcess, "1"); err != nil { // for the processes that tests start
		panic(err)
	}
	testscript.Main(m, map[string]func(){"peerd": main}) // for the scripts, by name
}
