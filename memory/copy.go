package memory

import (
	"runtime"
	"sync"
)

// largeCopy is from how many bytes on several processors copy: one alone does not use all that memory can do.
const largeCopy = 8 << 20

// Copy is the built-in copy, by several processors where that is worth it.
func Copy(dst, src []byte) int {
	n := min(len(dst), len(src))
	parts := min(runtime.GOMAXPROCS(0), 4, n/largeCopy)
	if parts < 2 {
		return copy(dst, src)
	}
	size := (n/parts + 63) &^ 63
	var wait sync.WaitGroup
	for at := size; at < n; at += size {
		wait.Go(func() { copy(dst[at:min(at+size, n)], src[at:min(at+size, n)]) })
	}
	copy(dst[:size], src)
	wait.Wait()
	return n
}
