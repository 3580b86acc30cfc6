package hostcall

import (
	"debug/elf"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

func TestParseMapping(t *testing.T) {
	for _, c := range []struct {
		line string
		want mapping
		ok   bool
	}{
		{"55d0c2a01000-55d0c2a02000 r-xp 00001000 fe:01 1234                       /usr/bin/a program", mapping{0x55d0c2a01000, 0x55d0c2a02000, 0x1000, "/usr/bin/a program"}, true},
		{"7f0000000000-7f0000001000 rw-p 00000000 00:00 0 ", mapping{}, false},
		{"7ffd00000000-7ffd00001000 r-xp 00000000 00:00 0                          [vdso]", mapping{}, false},
		{"nonsense-7f r-xp 00000000 fe:01 0 /x", mapping{}, false},
		{"", mapping{}, false},
	} {
		if m, ok := parseMapping(c.line); ok != c.ok || ok && m != c.want {
			t.Errorf("%q: %+v, %v", c.line, m, ok)
		}
	}
	l := mappingList{{start: 10, end: 20}, {start: 30, end: 40}}
	for address, want := range map[uint64]uint64{9: 0, 10: 10, 19: 10, 20: 0, 39: 30, 40: 0} {
		if m, ok := l.at(address); ok != (want != 0) || m.start != want {
			t.Errorf("at %d: %+v", address, m)
		}
	}
}

func TestWrappers(t *testing.T) {
	for file, want := range map[string]bool{"/usr/lib/libOpenCL.so.1": true, "/x/pyopencl/_cl.cpython-311.so": true, "/x/_cl.so": false, "/x/libother.so": false} {
		if wrapperModule(file) != want {
			t.Errorf("%s: %v", file, !want)
		}
	}
	if !wrapperFunction("f", "/usr/include/CL/opencl.hpp") || !wrapperFunction("cl::Kernel::f", "x.cpp") || wrapperFunction("clear", "x.cpp") {
		t.Error("functions of wrappers are mistaken")
	}
}

// program compiles a C program and returns its path, and the offset in the file of a function.
func program(t *testing.T, source string, flags ...string) (file string, offset uint64) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the package reads ELF files")
	}
	if _, err := exec.LookPath("cc"); err != nil {
		t.Skip("no C compiler")
	}
	dir := t.TempDir()
	file = filepath.Join(dir, "program")
	if err := os.WriteFile(filepath.Join(dir, "program.c"), []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("cc", append(flags, "-Wl,--build-id", "-o", file, "program.c")...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	f, err := elf.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(symbols, func(s elf.Symbol) bool { return s.Name == "work" })
	for _, p := range f.Progs {
		if a := symbols[i].Value; p.Type == elf.PT_LOAD && a >= p.Vaddr && a < p.Vaddr+p.Filesz {
			return file, a - p.Vaddr + p.Off
		}
	}
	t.Fatal("no offset")
	return "", 0
}

const source = "int work(int a) {\n\treturn a * 3;\n}\nint main(int n, char **v) { return work(n); }\n"

func TestDebugFiles(t *testing.T) {
	file, offset := program(t, source, "-g", "-O0")
	line := func(m *module) int { return m.places(offset)[0].Line }
	m := open(file)
	if p := m.places(offset); len(p) != 1 || p[0].Function != "work" || p[0].Line != 1 || p[0].File != filepath.Join(filepath.Dir(file), "program.c") {
		t.Fatalf("%+v", p)
	}
	id := hex.EncodeToString(buildID(m.file))
	if want := []string{filepath.Join("/d", ".build-id", id[:2], id[2:]+".debug")}; len(id) != 40 || !slices.Equal(m.debugFiles("/d"), want) {
		t.Errorf("%q, not %q", m.debugFiles("/d"), want)
	}
	if _, err := exec.LookPath("objcopy"); err != nil {
		t.Skip("no objcopy")
	}
	for _, args := range [][]string{{"--only-keep-debug", file, file + ".debug"}, {"--strip-debug", file}} {
		if out, err := exec.Command("objcopy", args...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	if p := open(file).places(offset); len(p) != 1 || p[0].Function != "work" || p[0].Line != 0 || p[0].Distance != 0 || p[0].Offset == 0 {
		t.Errorf("without debug information: %+v", p)
	}
	if out, err := exec.Command("objcopy", "--add-gnu-debuglink="+file+".debug", file).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if n := line(open(file)); n != 1 {
		t.Errorf("with a debug link: line %d", n)
	}
	// The debug file of another build is left alone.
	other, _ := program(t, source+"int more;\n", "-g", "-O0")
	if err := os.Rename(other, file+".debug"); err != nil {
		t.Fatal(err)
	}
	if n := line(open(file)); n != 0 {
		t.Errorf("with another program's debug file: line %d", n)
	}
}

// TestDamaged reads files of which parts are missing or wrong: there is a place, and no panic.
func TestDamaged(t *testing.T) {
	file, offset := program(t, source, "-g", "-O0")
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	damaged := filepath.Join(t.TempDir(), "damaged")
	look := func(data []byte) {
		t.Helper()
		if err := os.WriteFile(damaged, data, 0o666); err != nil {
			t.Fatal(err)
		}
		if p := open(damaged).places(offset); len(p) == 0 || p[0].Module != damaged {
			t.Errorf("places %+v", p)
		}
	}
	for n := 0; n < len(whole); n += len(whole)/40 + 1 {
		look(whole[:n])
	}
	state := uint32(1)
	for range 200 {
		data := slices.Clone(whole)
		for range 20 {
			state = state*1664525 + 1013904223
			data[int(state>>8)%len(data)] = byte(state)
		}
		look(data)
	}
	if p := open(filepath.Join(damaged, "missing")).places(offset); len(p) != 1 || p[0].Offset != offset {
		t.Errorf("a file that is not there: %+v", p)
	}
}

// TestFind finds this test's own function: its program has at least names.
func TestFind(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the package reads /proc")
	}
	var at [4]uintptr
	n := runtime.Callers(1, at[:])
	p, ok := Find(at[:n])
	if self, err := os.Executable(); !ok || err != nil || p.Module != self {
		t.Errorf("%+v, %v", p, ok)
	}
	if _, ok := Find([]uintptr{1}); ok {
		t.Error("there is a file at address 1")
	}
}
