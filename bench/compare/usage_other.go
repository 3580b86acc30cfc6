//go:build !unix

package main

import (
	"os"
	"time"
)

// cpuTime is not known on this system.
func cpuTime() time.Duration { return 0 }

// peakMemory is not known on this system.
func peakMemory(*os.ProcessState) int64 { return 0 }
