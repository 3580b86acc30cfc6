package native

import (
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"github.com/lockstep-gpu/lockstep/conformance/kernels"
	"github.com/lockstep-gpu/lockstep/isa/native/codemem"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// listed are the kernels whose plans and machine code stand in testdata/listings, and what each of them
// shows.
var listed = []struct{ name, processors, shows string }{
	{"empty", "avx512 avx2", "the entry and the end of a function"},
	{"saxpy", "avx512 avx2", "a hyperblock, and its version without checks"},
	{"tiles2d", "avx512", "a store of an id"},
	{"math_unit", "avx512 avx2", "mathematics with a callout"},
	{"histogram_global", "avx512 avx2", "an atomic operation"},
	{"barrier_private", "avx512", "private memory and a barrier"},
	{"async_reverse", "avx512", "a copy of the work-group"},
	{"switch_loop", "avx512", "a switch in a loop"},
	{"mandelbrot", "avx512 avx2", "a loop region"},
	{"spmv", "avx512", "a loop region with loads"},
	{"stencil2d", "avx512", "a hyperblock whose lanes part"},
	{"sg_scan", "avx512", "instructions across lanes"},
	{"philox", "avx512", "narrowing"},
}

// list64 skips a test where machine code cannot be made, not even to look at it.
func list64(t *testing.T) {
	t.Helper()
	if unsafe.Sizeof(uintptr(0)) != 8 {
		t.Skip("pointers do not have 64 bits here")
	}
}

// listingOf lists a kernel of package kernels.
func listingOf(t *testing.T, name string, o ListOptions) string {
	t.Helper()
	for _, k := range kernels.All() {
		if k.Name != name {
			continue
		}
		b, err := k.Binary("O2")
		if err != nil {
			t.Fatal(err)
		}
		p := lowered(t, b.Code)
		var text strings.Builder
		if err := List(&text, p, p.Kernel(k.Entry), o); err != nil {
			t.Fatal(err)
		}
		return text.String()
	}
	t.Fatalf("no kernel %s", name)
	return ""
}

// TestListings compares plans and machine code with those in testdata, so that a change of either shows. Of
// code that is seldom run, and of tables, the files have a checksum only.
func TestListings(t *testing.T) {
	list64(t)
	for _, x := range listed {
		for _, processor := range strings.Fields(x.processors) {
			text := listingOf(t, x.name, ListOptions{Processor: processor})
			if other := listingOf(t, x.name, ListOptions{Processor: processor}); other != text {
				t.Errorf("%s for %s differs from time to time: %s", x.name, processor, cmp.Diff(text, other))
			}
			hot, cold, ok := strings.Cut(text, "\n"+seldomTitle+"\n")
			if !ok {
				t.Fatalf("%s for %s has no section %q", x.name, processor, seldomTitle)
			}
			h := fnv.New32a()
			h.Write([]byte(cold))
			got := fmt.Sprintf("shows %s\n%s\n%s: %d lines, checksum %08x\n", x.shows, hot, seldomTitle,
				strings.Count(cold, "\n"), h.Sum32())
			file := filepath.Join("testdata", "listings", x.name+"."+processor+".txt")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); d != "" {
				t.Errorf("%s (go test ./isa/native -run TestListings -update rewrites it): %.4000s", file, d)
			}
		}
	}
}

// TestListOffsets checks that the bytes of a listing are those of the code, one instruction behind the other.
func TestListOffsets(t *testing.T) {
	list64(t)
	plain := listingOf(t, "mandelbrot", ListOptions{Processor: "avx512"})
	text := listingOf(t, "mandelbrot", ListOptions{Processor: "avx512", Offsets: true})
	_, rest, _ := strings.Cut(text, "\nmachine code of ")
	var size, at int
	if _, err := fmt.Sscanf(rest, "%d bytes", &size); err != nil {
		t.Fatal(err)
	}
	insts := 0
	for line := range strings.Lines(rest) {
		var from int
		var bytes string
		if n, _ := fmt.Sscanf(line, "\t0x%x %s", &from, &bytes); n != 2 || bytes == ".align" { // it takes no bytes there
			continue
		}
		if from != at {
			t.Fatalf("%q is not at %#x", line, at)
		}
		if _, text, ok := strings.Cut(strings.TrimSpace(line), "  "); ok {
			if _, inst, ok := strings.Cut(strings.TrimSpace(text), " "); ok {
				insts++
				if inst = strings.TrimSpace(inst); !strings.Contains(plain, "\t"+inst+"\n") {
					t.Errorf("%q is not in the listing without offsets", inst)
				}
			}
		}
		at += len(bytes) / 2
	}
	if at != size || insts < 100 {
		t.Errorf("%d instructions and %d bytes are listed of a function of %d bytes", insts, at, size)
	}
}

// TestListRefuses checks what there is no listing of.
func TestListRefuses(t *testing.T) {
	if err := List(nil, nil, nil, ListOptions{Processor: "sse2"}); !errors.Is(err, ErrList) {
		t.Errorf("a listing for sse2: %v", err)
	}
	if unsafe.Sizeof(uintptr(0)) != 8 {
		if err := List(nil, nil, nil, ListOptions{Processor: "avx2"}); !errors.Is(err, codemem.ErrUnsupported) {
			t.Errorf("a listing where pointers have 32 bits: %v", err)
		}
	}
}
