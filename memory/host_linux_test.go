package memory

import (
	"math"
	"testing"
	"testing/fstest"
)

// TestAvailable reads what systems say of their memory.
func TestAvailable(t *testing.T) {
	const unlimited = math.MaxUint64
	type files map[string]string
	for _, c := range []struct {
		name  string
		files files
		space uint64
		want  uint64
		ok    bool
	}{
		{"nothing", nil, unlimited, math.MaxUint64, false},
		{"meminfo", files{"proc/meminfo": "MemTotal:  1000 kB\nMemAvailable:   600 kB\n"}, unlimited, 600 << 10, true},
		{"address space", files{"proc/meminfo": "MemAvailable: 1000 kB\n", "proc/self/statm": "10 5 1 1 0 1 0\n"}, 100 << 10, 60 << 10, true},
		{"address space that is full", files{"proc/self/statm": "100 5\n"}, 100 << 10, 0, true},
		{"version 2", files{"proc/meminfo": "MemAvailable: 1000 kB\n", "proc/self/cgroup": "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max": "max\n", "sys/fs/cgroup/a/memory.max": "500000\n", "sys/fs/cgroup/a/memory.current": "200000\n",
			"sys/fs/cgroup/a/memory.stat": "anon 1\ninactive_file 50000\n"}, unlimited, 350000, true},
		{"version 2 in a container", files{"proc/self/cgroup": "0::/../elsewhere\n", "sys/fs/cgroup/memory.max": "4096\n"}, unlimited, 4096, true},
		{"version 1", files{"proc/meminfo": "MemAvailable: 1000 kB\n", "proc/self/cgroup": "5:cpu,cpuacct:/x\n4:memory:/g\n0::/\n",
			"sys/fs/cgroup/memory/g/memory.limit_in_bytes": "300000\n", "sys/fs/cgroup/memory/g/memory.usage_in_bytes": "100000\n",
			"sys/fs/cgroup/memory/g/memory.stat": "inactive_file 7\ntotal_inactive_file 1000\n"}, unlimited, 201000, true},
		{"version 1 without a limit", files{"proc/meminfo": "MemAvailable: 1000 kB\n", "proc/self/cgroup": "4:memory:/\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"}, unlimited, 1000 << 10, true},
		{"nonsense", files{"proc/meminfo": "MemAvailable: much\n", "proc/self/cgroup": "memory\n:\n0::/\n", "sys/fs/cgroup/memory.max": "-5\n"},
			unlimited, math.MaxUint64, false},
	} {
		fsys := fstest.MapFS{}
		for name, text := range c.files {
			fsys[name] = &fstest.MapFile{Data: []byte(text)}
		}
		if got, ok := availableIn(fsys, c.space, 4096); got != c.want || ok != c.ok {
			t.Errorf("%s: %d, %v; want %d, %v", c.name, got, ok, c.want, c.ok)
		}
	}
}

// TestHostLeft asks the machine of the test: there is some memory left, and not more than any machine has.
func TestHostLeft(t *testing.T) {
	if n, ok := HostLeft(); !ok || n < 1<<20 || n > 1<<50 {
		t.Errorf("%d bytes left, %v", n, ok)
	}
	if HostHas(1 << 52) {
		t.Error("the host has 4 PiB")
	}
	if !HostHas(64 << 20) {
		t.Error("the host does not have 64 MiB")
	}
}
