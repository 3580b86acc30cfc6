package groupcases

import (
	"bytes"
	"flag"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the cases anew")

// root is the directory that the names of cases are relative to.
const root = "../.."

// TestFiles: the files are those that the package makes, no more and no fewer.
func TestFiles(t *testing.T) {
	want := map[string][]byte{}
	for _, c := range All() {
		path := filepath.FromSlash(c.Name + ".case")
		var b bytes.Buffer
		if err := c.Write(&b); err != nil {
			t.Fatal(err)
		}
		if want[path] != nil {
			t.Fatalf("two cases are called %s", c.Name)
		}
		want[path] = b.Bytes()
		if *update {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(root, path)), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(root, path), b.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	err := filepath.WalkDir(filepath.Join(root, "cases"), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if !strings.HasPrefix(string(text), "# "+generated) {
			return nil
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		switch {
		case want[name] == nil && *update:
			return os.Remove(path)
		case want[name] == nil:
			t.Errorf("%s is no longer made; go test -update removes it", name)
		case !bytes.Equal(text, want[name]):
			t.Errorf("%s is not current; go test -update writes it", name)
		}
		delete(want, name)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range want {
		if !*update {
			t.Errorf("%s is missing; go test -update writes it", name)
		}
	}
}

// TestHalf: halves round to nearest, ties to even, from end to end of their range.
func TestHalf(t *testing.T) {
	for x := range uint64(0x7c00) {
		v, next := f16.num(x), f16.num(x+1)
		if got := f16.round(v); got != x {
			t.Fatalf("%#x is %g, which rounds to %#x", x, v, got)
		}
		if x+1 == 0x7c00 {
			next = 65536
		}
		mid := (v + next) / 2
		if got, want := f16.round(mid), x+x&1; got != want {
			t.Fatalf("%g, between %#x and the next, rounds to %#x", mid, x, got)
		}
		if got := f16.round(math.Nextafter(mid, 0)); got != x {
			t.Fatalf("below %g, between %#x and the next, rounds to %#x", mid, x, got)
		}
	}
}

// TestScan sets the scans against sums that are easily made by hand.
func TestScan(t *testing.T) {
	add := operations[0]
	x := []uint64{1, 2, 3, 4, 5, 6, 7}
	l := launch{7, 5} // work-groups of 1 to 5, and 6, 7
	for _, tc := range []struct {
		name           string
		got            scans
		red, inc, excl []uint64
	}{
		{"sub-groups", add.scan(i32, x, l.subgroups(2)), []uint64{3, 3, 7, 7, 5, 13, 13}, []uint64{1, 3, 3, 7, 5, 6, 13}, []uint64{0, 1, 0, 3, 0, 0, 6}},
		{"work-groups", add.scanWorkgroups(i32, x, l, 2), []uint64{15, 15, 15, 15, 15, 13, 13}, []uint64{1, 3, 6, 10, 15, 6, 13}, []uint64{0, 1, 3, 6, 10, 0, 6}},
	} {
		for i := range x {
			if tc.got.reduce[i] != tc.red[i] || tc.got.inclusive[i] != tc.inc[i] || tc.got.exclusive[i] != tc.excl[i] {
				t.Errorf("%s: item %d has %d, %d, %d", tc.name, i, tc.got.reduce[i], tc.got.inclusive[i], tc.got.exclusive[i])
			}
		}
	}
}
