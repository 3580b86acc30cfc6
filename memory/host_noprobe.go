//go:build !linux && !darwin && !freebsd && !netbsd && !openbsd && !windows

package memory

func probe(uint64) bool { return true }
