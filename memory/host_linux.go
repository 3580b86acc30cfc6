package memory

import (
	"bytes"
	"io/fs"
	"math"
	"os"
	"path"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// available is the memory that the system has available, within the limits of the process and of its control
// group.
func available() (uint64, bool) {
	space := uint64(math.MaxUint64)
	var lim unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_AS, &lim) == nil {
		space = uint64(lim.Cur)
	}
	return availableIn(os.DirFS("/"), space, uint64(os.Getpagesize()))
}

// availableIn reads the files of the system in root. space is the limit of the address space, page the size
// of a page.
func availableIn(root fs.FS, space, page uint64) (uint64, bool) {
	left, ok := field(root, "proc/meminfo", "MemAvailable:")
	if ok && left > math.MaxUint64>>10 {
		ok = false
	}
	left <<= 10 // KiB
	if !ok {
		left = math.MaxUint64
	}
	if space < math.MaxInt64 { // and is no "unlimited"
		if text, err := fs.ReadFile(root, "proc/self/statm"); err == nil {
			if size, err := strconv.ParseUint(string(first(text)), 10, 40); err == nil {
				left, ok = min(left, space-min(space, size*page)), true
			}
		}
	}
	if n, limited := groupLeft(root); limited {
		left, ok = min(left, n), true
	}
	return left, ok
}

// groupLeft is what the limits of the control groups leave, of version 1 and 2: those of the process's group
// and of all groups around it.
func groupLeft(root fs.FS) (left uint64, limited bool) {
	text, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return 0, false
	}
	left = math.MaxUint64
	for line := range strings.Lines(string(text)) {
		part := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(part) != 3 {
			continue
		}
		mount, most, used, stat := "sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"
		if part[1] != "" { // version 1
			if !strings.Contains(","+part[1]+",", ",memory,") {
				continue
			}
			mount, most, used, stat = "sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"
		}
		// The path is that on the host, which a container need not see: then the root is its group.
		for group := path.Clean("/" + part[2]); ; group = path.Dir(group) {
			dir := path.Join(mount, group)
			limit, ok := number(root, path.Join(dir, most))
			if ok && limit < math.MaxInt64>>1 { // version 1 has a large number for no limit
				now, _ := number(root, path.Join(dir, used))
				cache, _ := field(root, path.Join(dir, "memory.stat"), stat) // which the system gives up first
				now -= min(now, cache)
				left, limited = min(left, limit-min(limit, now)), true
			}
			if group == "/" {
				break
			}
		}
	}
	return left, limited
}

// number reads a file that is a number.
func number(root fs.FS, name string) (uint64, bool) {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseUint(string(bytes.TrimSpace(text)), 10, 64)
	return n, err == nil
}

// field reads the number behind a name, in a file with one name a line.
func field(root fs.FS, file, name string) (uint64, bool) {
	text, err := fs.ReadFile(root, file)
	if err != nil {
		return 0, false
	}
	for line := range bytes.Lines(text) {
		f := bytes.Fields(line)
		if len(f) >= 2 && string(f[0]) == name {
			n, err := strconv.ParseUint(string(f[1]), 10, 64)
			return n, err == nil
		}
	}
	return 0, false
}

// first is the first word of a text.
func first(text []byte) []byte {
	if f := bytes.Fields(text); len(f) > 0 {
		return f[0]
	}
	return nil
}
