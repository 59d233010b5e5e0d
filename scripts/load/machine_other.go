//go:build !linux

package main

import "time"

func pause(d time.Duration) { time.Sleep(d) }

// ownCPU is not known here.
func ownCPU() float64 { return 0 }
