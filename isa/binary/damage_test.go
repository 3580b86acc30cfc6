package binary

import (
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares text with a file under testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is not what is expected; it is now\n%s", path, got)
	}
}

// TestHeader holds the header byte by byte, so that other versions go on
// recognizing binaries of this one. The layout, which changes with the instruction set,
// and sizes, which follow from it, are left out.
func TestHeader(t *testing.T) {
	data := encoded(t, small())
	h, err := ReadHeader(data)
	if err != nil {
		t.Fatal(err)
	}
	if h.Layout != Layout() || h.Size != uint64(len(data)) || h.Format != FormatVersion {
		t.Errorf("the header is %+v", h)
	}
	var b strings.Builder
	line := func(what string, from, to int) {
		fmt.Fprintf(&b, "%-8s %2d-%2d  % x\n", what, from, to-1, data[from:to])
	}
	line("magic", 0, 8)
	line("format", 8, 12)
	at := headerBytes
	for at < len(data) {
		size := int(binary.LittleEndian.Uint64(data[at+4:]))
		fmt.Fprintf(&b, "section  %s\n", data[at:at+4])
		if tag := string(data[at : at+4]); tag == "STRS" || tag == "NOTE" || tag == "TARG" {
			fmt.Fprintf(&b, "  %q\n", data[at+sectionHead:at+sectionHead+size])
		}
		at += sectionHead + size
	}
	golden(t, "header.txt", b.String())
}

// TestEveryDamage holds that no bit can change and no byte can be missing, or
// too many, without an error that says so.
func TestEveryDamage(t *testing.T) {
	data := encoded(t, small())
	for i := range data {
		for bit := range 8 {
			bad := slices.Clone(data)
			bad[i] ^= 1 << bit
			_, err := Decode(bad)
			var version *VersionError
			ok := errors.Is(err, ErrDamaged) || errors.Is(err, ErrTruncated)
			switch {
			case i < 8:
				ok = errors.Is(err, ErrNotBinary)
			case i < 12:
				ok = errors.As(err, &version)
			}
			if !ok {
				t.Errorf("bit %d of byte %d: %v", bit, i, err)
			}
		}
		_, err := Decode(data[:i])
		if want := ErrTruncated; i > 0 && !errors.Is(err, want) || i == 0 && !errors.Is(err, ErrNotBinary) {
			t.Errorf("the first %d bytes: %v", i, err)
		}
	}
	if _, err := Decode(append(slices.Clone(data), 0)); !errors.Is(err, ErrDamaged) {
		t.Errorf("a byte too many: %v", err)
	}
}

// put writes a number of 8 bytes into a copy of a binary and seals it.
func put(data []byte, at int, v uint64) []byte {
	bad := slices.Clone(data)
	binary.LittleEndian.PutUint64(bad[at:], v)
	Seal(bad)
	return bad
}

// body returns where the section starts.
func body(t testing.TB, data []byte, tag string) int {
	t.Helper()
	at := headerBytes
	for at < len(data) {
		if string(data[at:at+4]) == tag {
			return at + sectionHead
		}
		at += sectionHead + int(binary.LittleEndian.Uint64(data[at+4:]))
	}
	t.Fatalf("no section %s", tag)
	return 0
}

// TestHostile holds the messages about binaries that were made to be wrong:
// their checksums are right.
func TestHostile(t *testing.T) {
	data := encoded(t, small())
	version := slices.Clone(data)
	version[8] = 7
	layout := slices.Clone(data)
	layout[24] ^= 0xff
	Seal(layout)
	set := func(tag string, offset int, b ...byte) []byte {
		bad := slices.Clone(data)
		copy(bad[body(t, data, tag)+offset:], b)
		Seal(bad)
		return bad
	}
	long := []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}
	broken := small().Program
	broken.Kernels[0].Locs[1].File = 9
	registers := small().Program
	registers.Kernels[0].NumScalar = 1 << 30
	var b strings.Builder
	for _, c := range []struct {
		name string
		data []byte
	}{
		{"no bytes", nil},
		{"another file", []byte("\x03\x02\x23\x07 and so on, a module")},
		{"four bytes of the magic", data[:4]},
		{"half a header", data[:20]},
		{"half a file", data[:len(data)/2]},
		{"another format", version},
		{"another layout", layout},
		{"a wrong checksum", append(slices.Clone(data[:len(data)-1]), data[len(data)-1]^1)},
		{"a section with a false name", set("PROG", -sectionHead, 'G', 'O', 'R', 'P')},
		{"a section as long as memory", put(data, body(t, data, "PROG")-8, 1<<62)},
		{"a section that takes part of the next", put(data, body(t, data, "TARG")-8, uint64(body(t, data, "PROG")-body(t, data, "TARG")))},
		{"a section that is too short", put(data, body(t, data, "STRS")-8, 1)},
		{"more strings than bytes", set("STRS", 0, long...)},
		{"a string longer than all", set("STRS", 1, 0x7f)},
		{"a number without an end", set("STRS", 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)},
		{"more kernels than bytes", set("PROG", 0, long...)},
		{"a string that is not there", set("TARG", 0, 0x7f)},
		{"a place in a file that is not there", encode(Target{}, broken, nil, nil, nil)},
		{"more registers than instructions", encode(Target{}, registers, nil, nil, nil)},
		{"a kernel that is nothing", encode(Target{}, &isa.Program{Kernels: []*isa.Kernel{nil}}, nil, nil, nil)},
		{"notes out of order", encode(Target{}, small().Program, nil, small().Notes, nil)},
	} {
		if c.name == "another layout" {
			continue // its text has the layout in it
		}
		_, err := Decode(c.data)
		if err == nil {
			t.Errorf("%s: no error", c.name)
			continue
		}
		fmt.Fprintf(&b, "%s:\n  %v\n", c.name, err)
	}
	golden(t, "hostile.txt", masked(b.String()))
	var v *VersionError
	if _, err := Decode(layout); !errors.As(err, &v) || v.WantLayout != Layout() || v.Layout == v.WantLayout || !strings.Contains(err.Error(), "compile the module again") {
		t.Errorf("another layout: %v", err)
	}
}

var (
	maskedSums  = regexp.MustCompile(`\b[0-9a-f]{8}\b`)
	maskedSizes = regexp.MustCompile(`\b(byte|says|remaining|but) \d+`)
)

// masked hides the numbers that change with the tables of the bytecode.
func masked(s string) string {
	return maskedSizes.ReplaceAllString(maskedSums.ReplaceAllString(s, "XXXXXXXX"), "$1 N")
}

// TestMemory holds that what a binary claims costs no memory: lengths that
// cannot be true are refused, and what can be true is at most a small multiple of
// the bytes.
func TestMemory(t *testing.T) {
	const size = 1 << 20
	w := newWriter()
	w.uint(size / instBytes)
	for len(w.out) < size {
		w.out = append(w.out, 1, 0, 0)
	}
	r := &reader{data: w.out, end: len(w.out)}
	var code []isa.Inst
	if got := allocated(func() { readInto(r, &code) }); r.err != nil || got > 30*size {
		t.Errorf("%d instructions took %d bytes of memory for %d bytes of binary (%v)", len(code), got, size, r.err)
	}
	// The same of nested tables: the structures that take most memory for their bytes.
	zeros := make([]byte, size)
	copy(zeros, []byte{0xff, 0xff, 0x03}) // 65535 elements
	for _, list := range []any{new([]isa.Kernel), new([]isa.Param), new([]isa.Alloc), new([]string), new([][]byte), new([]isa.Printf), new([]isa.SwitchTable)} {
		r := &reader{data: zeros, end: len(zeros)}
		if got := allocated(func() { readInto(r, list) }); got > 30*size {
			t.Errorf("%T took %d bytes of memory for %d bytes of binary", list, got, size)
		}
	}
}

// allocated returns how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
