package memory

import (
	"runtime/debug"
	"sync"
)

// probeFrom is the size of an allocation, in bytes, from which on the host is asked first whether it has so
// much. Go ends the process when it gets no memory, and no program can catch that.
const probeFrom = 16 << 20

// probeSlack is what Go's runtime may take from the system besides the bytes of a large allocation: it takes
// memory in arenas of 64 MiB, with tables for them.
const probeSlack = 80 << 20

// hostLeft measures the host once: what a process is given does not change much, and a limit that is made of
// it should not depend on when it is asked for.
var hostLeft = sync.OnceValues(available)

// HostLeft returns how many bytes of memory the host had left when this was first called: what the system has
// available, and what limits of the process and of its control group leave of that. Ok is false where the
// system does not say.
func HostLeft() (bytes uint64, ok bool) { return hostLeft() }

// HostHas says whether the host gives this process n bytes more of address space now. It is true for few
// bytes, and where the system cannot be asked.
func HostHas(n uint64) bool {
	if n < probeFrom || probe(n+probeSlack) {
		return true
	}
	debug.FreeOSMemory() // what is garbage by now counts as well
	return probe(n + probeSlack)
}
