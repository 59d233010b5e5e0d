//go:build !linux

package main

import (
	"os"
	"time"
)

func syncData(f *os.File) error { return f.Sync() }

func pause(d time.Duration) { time.Sleep(d) }

// ownCPU is unknown here.
func ownCPU() float64 { return 0 }
