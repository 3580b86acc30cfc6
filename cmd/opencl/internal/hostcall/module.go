package hostcall

import (
	"bytes"
	"debug/dwarf"
	"debug/elf"
	"encoding/hex"
	"path/filepath"
	"slices"
	"strings"
)

// module is the file of a program or a library. What is missing from it is nil.
type module struct {
	path string
	file *elf.File

	found map[uint64][]foundPlace

	symbolsRead bool
	symbols     []elf.Symbol // functions, by address

	debugRead bool
	separate  *elf.File // with the debug information, where that is not in the file itself
	debug     *dwarf.Data
}

// foundPlace is a place of an address. An address has several where functions were inlined, the innermost first.
type foundPlace struct {
	Place
	wrapper bool
}

// mostDebugInformation is the size of .debug_info from which on it is left alone, because all of it is read.
const mostDebugInformation = 512 << 20

func open(file string) *module {
	m := &module{path: file, found: map[uint64][]foundPlace{}}
	defer m.guard()
	if f, err := elf.Open(file); err == nil { // otherwise it was deleted, or is for root only
		m.file = f
	}
	return m
}

// guard keeps a damaged file from ending the program.
func (m *module) guard() { _ = recover() }

// address is what an offset in the file is as an address of the linker's.
func (m *module) address(offset uint64) (uint64, bool) {
	for _, p := range m.file.Progs {
		if p.Type == elf.PT_LOAD && offset >= p.Off && offset-p.Off < p.Filesz {
			return offset - p.Off + p.Vaddr, true
		}
	}
	return 0, false
}

// places returns the places of an offset in the file; there is one at least.
func (m *module) places(offset uint64) []foundPlace {
	if list, ok := m.found[offset]; ok {
		return list
	}
	list := m.look(offset)
	m.found[offset] = list
	return list
}

func (m *module) look(offset uint64) []foundPlace {
	plain := foundPlace{Place{Module: m.path, Offset: offset}, wrapperModule(m.path)}
	if m.file == nil {
		return []foundPlace{plain}
	}
	at, ok := m.address(offset)
	if !ok {
		return []foundPlace{plain}
	}
	plain.Offset = at
	if plain.wrapper || interpreter(m.path) {
		return []foundPlace{plain}
	}
	if list := m.lines(at); len(list) != 0 {
		for i := range list {
			list[i].Module, list[i].Offset = m.path, at
		}
		return list
	}
	plain.Function, plain.Distance = m.symbol(at)
	plain.wrapper = wrapperSymbol(plain.Function)
	return []foundPlace{plain}
}

// symbol returns the name of the function at an address, and how far that is from its start.
func (m *module) symbol(at uint64) (name string, distance uint64) {
	defer m.guard()
	if !m.symbolsRead {
		m.symbolsRead = true
		m.readSymbols()
	}
	i, found := slices.BinarySearchFunc(m.symbols, at, func(s elf.Symbol, at uint64) int {
		switch {
		case at < s.Value:
			return 1
		case s.Size != 0 && at-s.Value >= s.Size, s.Size == 0 && at != s.Value:
			return -1
		}
		return 0
	})
	switch {
	case found:
	case i > 0 && m.symbols[i-1].Size == 0: // of assembly, which gives no sizes
		i--
	default:
		return "", 0
	}
	return m.symbols[i].Name, at - m.symbols[i].Value
}

func (m *module) readSymbols() {
	list, err := m.file.Symbols()
	if err != nil || len(list) == 0 {
		if f := m.debugFile(); f != nil {
			list, err = f.Symbols()
		}
	}
	if err != nil || len(list) == 0 {
		list, _ = m.file.DynamicSymbols() // none at all is as good as an error
	}
	for _, s := range list {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC && s.Section != elf.SHN_UNDEF {
			m.symbols = append(m.symbols, s)
		}
	}
	slices.SortStableFunc(m.symbols, func(a, b elf.Symbol) int {
		switch {
		case a.Value < b.Value:
			return -1
		case a.Value > b.Value:
			return 1
		}
		return strings.Compare(a.Name, b.Name)
	})
}

// debugFile returns the file with the debug information of the module; nil without one.
func (m *module) debugFile() *elf.File {
	if m.debugRead {
		return m.separate
	}
	m.debugRead = true
	defer m.guard()
	if m.file.Section(".debug_info") != nil || m.file.Section(".zdebug_info") != nil {
		m.separate = m.file
		return m.separate
	}
	for _, path := range m.debugFiles("/usr/lib/debug") {
		f, err := elf.Open(path)
		if err != nil {
			continue
		}
		if f.Section(".debug_info") != nil && bytes.Equal(buildID(f), buildID(m.file)) {
			m.separate = f
			return f
		}
		_ = f.Close() // it was only read
	}
	return nil
}

// debugFiles lists where debug information of the module may be: by its build id, and by its debug link.
func (m *module) debugFiles(root string) []string {
	var list []string
	if id := hex.EncodeToString(buildID(m.file)); len(id) > 2 {
		list = append(list, filepath.Join(root, ".build-id", id[:2], id[2:]+".debug"))
	}
	if s := m.file.Section(".gnu_debuglink"); s != nil {
		if data, err := s.Data(); err == nil {
			name, _, _ := bytes.Cut(data, []byte{0})
			if base := filepath.Base(string(name)); base != "." && base != "/" {
				dir := filepath.Dir(m.path)
				list = append(list, filepath.Join(dir, base), filepath.Join(dir, ".debug", base), filepath.Join(root, dir, base))
			}
		}
	}
	return list
}

// buildID returns the id that the linker gave a file; nil without one.
func buildID(f *elf.File) []byte {
	s := f.Section(".note.gnu.build-id")
	if s == nil {
		return nil
	}
	data, err := s.Data()
	if err != nil || len(data) < 16 {
		return nil
	}
	names, size := uint64(f.ByteOrder.Uint32(data)), uint64(f.ByteOrder.Uint32(data[4:]))
	start := 12 + (names+3)&^3
	if start > uint64(len(data)) || size > uint64(len(data))-start {
		return nil
	}
	return data[start:][:size]
}

// information returns the debug information; nil without any.
func (m *module) information() *dwarf.Data {
	f := m.debugFile()
	if m.debug != nil || f == nil {
		return m.debug
	}
	if s := f.Section(".debug_info"); s != nil && s.Size > mostDebugInformation {
		return nil
	}
	d, err := f.DWARF()
	if err != nil {
		return nil
	}
	m.debug = d
	return d
}
