// Package hostcall says where in a host program a call is: the function, the file and the line of an address, from the
// program and the libraries that are mapped, their symbols, and their debug information or that of separate files. It
// reads ELF files and /proc/self/maps; on systems without these it finds nothing.
//
// Nothing is read before somebody asks. What was read is kept.
package hostcall

import (
	"bufio"
	"cmp"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Place is where a call is.
type Place struct {
	Function string // "" where it is not known; with the names of namespaces and classes, or as the linker has it
	Distance uint64 // of the call from the start of the function, where there is no line
	File     string
	Line     int    // 0 where it is not known
	Module   string // the file of the program or the library
	Offset   uint64 // of the call, as addr2line takes it for the module
}

// Find returns the place of the innermost call that is the program's own: the first one outside of loaders of OpenCL
// and of wrappers of OpenCL in other languages. The list has the addresses that the calls return to, the innermost
// first. If all are in wrappers, it is the place of the first one.
func Find(returns []uintptr) (Place, bool) {
	cache.Lock()
	defer cache.Unlock()
	maps := mappings()
	var first *Place
	for _, to := range returns {
		m, ok := maps.at(uint64(to) - 1)
		if !ok {
			continue // code that has no file
		}
		// The address behind a call may be the next line's, or the next function's.
		for _, p := range m.module().places(m.offset(uint64(to) - 1)) {
			if !p.wrapper {
				return p.Place, true
			}
			if first == nil {
				first = &p.Place
			}
		}
	}
	if first == nil {
		return Place{}, false
	}
	return *first, true
}

// Wrapper says whether a call is in a wrapper of OpenCL, so that Find needs the calls around it. It does not read debug
// information.
func Wrapper(to uintptr) bool {
	cache.Lock()
	defer cache.Unlock()
	m, ok := mappings().at(uint64(to) - 1)
	if !ok || wrapperModule(m.path) {
		return true
	}
	x := m.module()
	if x.file == nil {
		return false
	}
	if s := x.file.Section(".symtab"); s != nil && s.Size > 8<<20 {
		return true // it would take too long to look
	}
	at, ok := x.address(m.offset(uint64(to) - 1))
	if !ok {
		return false
	}
	name, _ := x.symbol(at)
	return wrapperSymbol(name)
}

// wrapperModule says whether a file is a loader of OpenCL, or a wrapper.
func wrapperModule(file string) bool {
	base := path.Base(file)
	return strings.HasPrefix(base, "libOpenCL") || strings.HasPrefix(base, "_cl.") && strings.Contains(file, "pyopencl")
}

// wrapperSymbol says whether a linker's name is in C++'s namespace cl, which is that of the header opencl.hpp.
func wrapperSymbol(name string) bool {
	return strings.HasPrefix(name, "_ZN2cl") || strings.HasPrefix(name, "_ZNK2cl")
}

// wrapperFunction says whether a function is in opencl.hpp or an older header of that kind.
func wrapperFunction(name, file string) bool {
	switch path.Base(file) {
	case "opencl.hpp", "cl2.hpp", "cl.hpp":
		return true
	}
	return strings.HasPrefix(name, "cl::")
}

// interpreter says whether a file is CPython, whose functions say nothing about the program.
func interpreter(file string) bool {
	base := path.Base(file)
	return strings.HasPrefix(base, "python") || strings.HasPrefix(base, "libpython")
}

// cache has the files that were read, by path. Its lock is that of the package.
var cache = struct {
	sync.Mutex
	modules map[string]*module
}{modules: map[string]*module{}}

// mapping is a part of a file that is mapped.
type mapping struct {
	start, end, from uint64 // the addresses, and the offset of the first byte in the file
	path             string
}

type mappingList []mapping

// mappings reads what is mapped now. Libraries come and go.
func mappings() mappingList {
	f, err := os.Open("/proc/self/maps")
	if err != nil {
		return nil
	}
	defer f.Close()
	var list mappingList
	for s := bufio.NewScanner(f); s.Scan(); {
		if m, ok := parseMapping(s.Text()); ok {
			list = append(list, m)
		}
	}
	return list
}

// parseMapping reads a line of /proc/self/maps. It is false for mappings of no file.
func parseMapping(line string) (mapping, bool) {
	fields := strings.SplitN(line, " ", 6)
	if len(fields) < 6 {
		return mapping{}, false
	}
	m := mapping{path: strings.TrimLeft(fields[5], " ")}
	start, end, ok := strings.Cut(fields[0], "-")
	var err [3]error
	m.start, err[0] = strconv.ParseUint(start, 16, 64)
	m.end, err[1] = strconv.ParseUint(end, 16, 64)
	m.from, err[2] = strconv.ParseUint(fields[2], 16, 64)
	return m, ok && cmp.Or(err[:]...) == nil && strings.HasPrefix(m.path, "/")
}

func (l mappingList) at(address uint64) (mapping, bool) {
	i, found := slices.BinarySearchFunc(l, address, func(m mapping, a uint64) int {
		switch {
		case a < m.start:
			return 1
		case a >= m.end:
			return -1
		}
		return 0
	})
	if !found {
		return mapping{}, false
	}
	return l[i], true
}

// offset is that of an address in the file.
func (m *mapping) offset(address uint64) uint64 { return address - m.start + m.from }

// module returns the file of the mapping.
func (m *mapping) module() *module {
	x := cache.modules[m.path]
	if x == nil {
		x = open(m.path)
		cache.modules[m.path] = x
	}
	return x
}
