package argspec

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"github.com/lockstep-gpu/lockstep/emu/npy"
)

// TestRoom holds that arguments ask for all the memory that they hold at once before they take it.
func TestRoom(t *testing.T) {
	dir := t.TempDir()
	file := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	array := func(fortran bool) []byte {
		var b bytes.Buffer
		a := npy.Array{DType: npy.U8, Shape: []int{1000, 100}, Fortran: fortran, Data: make([]byte, 100000)}
		if err := npy.Write(&b, &a); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	raw := file("raw.bin", make([]byte, 100000))
	c := file("c.npy", array(false))
	fortran := file("f.npy", array(true))
	short := file("short.npy", bytes.Replace(array(false), []byte("1000,"), []byte("9000,"), 1))
	csv := file("x.csv", []byte(strings.Repeat("1\n", 1000)))
	for _, c := range []struct {
		spec        string
		least, most uint64 // of what is asked for
	}{
		{"zero:u32:25000", 100000, 100000},
		{"rand:u8:100000:1:2:3", 100000, 100000},
		{"buf:u8:1*100000", 100000, 100000},
		{"i32:1*25000", 100000, 100000},
		{"in:" + raw, 100000, 100000},
		{"in:" + c, 100000, 100000},
		{"in:" + fortran, 200000, 200000},
		{"in:stdin", 128 << 10, 300000}, // as it grows
		{"in:" + csv + ":u32", 6000, 20000},
		{"image:100x1000:r:unorm8", 200000, 200000}, // here and on the device
		{"image:100x1000@200:r:unorm8", 300000, 300000},
		{"image:" + c + ":r:unorm8", 200000, 200000},
		{"pipe:u8:100000", 100000, 100000},
		{"pipe:u8:100000:zero:u8:100000", 200000, 200000},
		{"pipe:u8:100000:in:" + raw, 200000, 200000},
		{"pipe:u8:10:in:" + raw, 20, 20},
		{"local:100000", 0, 0},
		{"null", 0, 0},
	} {
		var asked uint64
		limit := uint64(1 << 40)
		opts := &Options{
			Room: func(n uint64) error {
				if n > limit {
					return io.ErrShortBuffer
				}
				asked = max(asked, n)
				return nil
			},
			Open: func(path string) (io.ReadCloser, error) {
				if path == "stdin" {
					return io.NopCloser(bytes.NewReader(make([]byte, 100000))), nil
				}
				return os.Open(path)
			},
		}
		a, err := Parse(c.spec, opts)
		if err != nil {
			t.Errorf("%s: %v", c.spec, err)
			continue
		}
		if asked < c.least || asked > c.most {
			t.Errorf("%s asks for %d bytes; want %d to %d", c.spec, asked, c.least, c.most)
		}
		if a.Kind == Buffer && len(a.Data) > 0 && !strings.HasSuffix(c.spec, "stdin") &&
			uintptr(unsafe.Pointer(&a.Data[0]))%64 != 0 {
			t.Errorf("%s: the data is not aligned, and a device would copy it", c.spec)
		}
		if a.Pipe != nil && a.Pipe.Rest != nil {
			a.Pipe.Rest.Close()
		}
		if asked == 0 {
			continue
		}
		limit = c.least - 1
		var e *Error
		if _, err := Parse(c.spec, opts); !errors.As(err, &e) || !errors.Is(err, io.ErrShortBuffer) {
			t.Errorf("%s in %d bytes: %v", c.spec, limit, err)
		}
	}
	// A header that claims more than the file has takes no memory.
	_, err := Parse("in:"+short, &Options{Room: func(n uint64) error { t.Errorf("%d bytes for a file that is too short", n); return nil }})
	if err == nil || !strings.Contains(err.Error(), "the file ends after 100000 of the 900000 bytes") {
		t.Errorf("a file that is too short: %v", err)
	}
}
