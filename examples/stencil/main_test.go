package main

import (
	"errors"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
)

// broken is the option that leaves a wait for copies out.
const broken = "-D MISSING_WAIT"

// schedules are the completions, with more orders and seeds.
func schedules(t *testing.T) map[string]emu.Schedule {
	t.Helper()
	all := map[string]emu.Schedule{}
	for _, name := range []string{"early", "late", "paced", "reverse+late", "reverse+paced"} {
		s, err := emu.ParseSchedule(name, 0)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = s
	}
	seeds := uint64(10)
	if testing.Short() {
		seeds = 2
	}
	for seed := range seeds {
		s, err := emu.ParseSchedule("seeded", seed)
		if err != nil {
			t.Fatal(err)
		}
		all[fmt.Sprint("seed ", seed)] = s
	}
	return all
}

// ramp is a picture whose filtering is exact.
func ramp(w, h int) []float32 {
	pixels := make([]float32, w*h)
	for i := range pixels {
		pixels[i] = float32(i * i % 251)
	}
	return pixels
}

// filtered computes the result the plain way; the edge continues outside.
func filtered(pixels []float32, w, h int, weights [9]float32) []float32 {
	out := make([]float32, len(pixels))
	for i := range out {
		for j, weight := range weights {
			x := min(max(i%w+j%3-1, 0), w-1)
			y := min(max(i/w+j/3-1, 0), h-1)
			out[i] += float32(weight * pixels[y*w+x])
		}
	}
	return out
}

// open makes a filter that the test's end closes.
func open(t *testing.T, options string, name string) *filter {
	t.Helper()
	f, err := newFilter(options, filters[name])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.dev.Close(); err != nil {
			t.Error(err)
		}
	})
	f.launch.Check = true
	return f
}

// TestStencil filters pictures of all sorts of sizes under all schedules.
func TestStencil(t *testing.T) {
	for name, weights := range filters {
		f := open(t, "", name)
		for _, size := range [][2]int{{1, 1}, {32, 8}, {64, 40}, {33, 9}, {5, 100}, {100, 3}, {31, 7}, {65, 33}} {
			w, h := size[0], size[1]
			pixels := ramp(w, h)
			want := filtered(pixels, w, h, weights)
			for order, schedule := range schedules(t) {
				f.launch.Schedule = schedule
				got, err := f.apply(pixels, w, h)
				if err != nil || !slices.Equal(got, want) {
					t.Errorf("%s, %d x %d, %s: wrong (%v)", name, w, h, order, err)
				}
			}
		}
	}
}

// TestMissingWait holds that the kernel which does not wait for its results to
// go out is found out under every schedule, and that what it leaves is wrong
// when copies complete late.
func TestMissingWait(t *testing.T) {
	const w, h = 40, 130
	pixels := ramp(w, h)
	want := filtered(pixels, w, h, filters["edges"])
	f := open(t, broken, "edges")
	for order, schedule := range schedules(t) {
		f.launch.Schedule = schedule
		got, err := f.apply(pixels, w, h)
		var found *emu.FindingsError
		if !errors.As(err, &found) {
			t.Errorf("%s: no finding (%v)", order, err)
			continue
		}
		var codes []string
		for _, f := range found.Findings.Findings {
			codes = append(codes, string(f.Code))
		}
		if !slices.Contains(codes, "E-ASYNCWRITE") || !slices.Contains(codes, "E-ASYNCNOWAIT") {
			t.Errorf("%s: found %v", order, codes)
		}
		switch right := slices.Equal(got, want); {
		case order == "early" && !right:
			t.Errorf("%s: a wrong result", order)
		case order == "late" && right:
			t.Errorf("%s: the result is right, although results were overwritten", order)
		}
	}
}

// TestPicture writes, reads and filters pictures.
func TestPicture(t *testing.T) {
	dir := t.TempDir()
	first, second := filepath.Join(dir, "first.png"), filepath.Join(dir, "second.png")
	if err := run("", first, "blur", 2); err != nil {
		t.Fatal(err)
	}
	if err := run(first, second, "emboss", 1); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(second)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	p, err := png.Decode(file)
	if err != nil || p.Bounds().Dx() != 200 || p.Bounds().Dy() != 150 {
		t.Errorf("%v, %v", p.Bounds(), err)
	}
	if err := run("", first, "magic", 1); err == nil {
		t.Error("no error for a filter that does not exist")
	}
	if err := run(filepath.Join(dir, "none.png"), first, "blur", 1); err == nil {
		t.Error("no error for a file that does not exist")
	}
}
