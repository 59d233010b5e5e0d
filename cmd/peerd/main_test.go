package main

import (
	"testing"

	"peerd.dev/internal/peerdtest"
)

func TestMain(m *testing.M) { peerdtest.Main(m) }
