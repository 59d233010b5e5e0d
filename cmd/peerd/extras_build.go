//go:build !release

package main

import (
	_ "peerd.dev/internal/extra/drawing" // figures of experiments
	_ "peerd.dev/internal/extra/parquet" // files of Parquet
)
