//go:build !linux && !darwin && !freebsd && !windows

package memory

func available() (uint64, bool) { return 0, false }
