package memory

import (
	"runtime"
	"sync"
)

// largeCopy is the least number of bytes for each processor that takes part in a copy. One processor alone does
// not use all the bandwidth of memory.
const largeCopy = 8 << 20

// Copy is the built-in copy. Up to four processors share the work when there are many bytes.
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
