package argspec

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

// TestCSV reads and writes files of numbers, and checks that what was written reads back
// as the same bytes.
func TestCSV(t *testing.T) {
	files := map[string]string{"a.csv": "1,2, 3\n\n-4,0x10,2k\r\n", "f.CSV": "1.5,inf\nnan,-0\n", "bad.csv": "1,2\n3,x\n", "empty.csv": "\n", "end.csv": "1,2,\n"}
	opts := &Options{MaxBytes: 64, Open: func(path string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(files[path])), nil
	}}
	for _, c := range []struct {
		spec, path, want string
		shape            []int
	}{
		{"in:a.csv:i32", "b.csv", "1,2,3\n-4,16,2048\n", []int{2, 3}},
		{"in:a.csv:i16", "b.csv", "1\n2\n3\n-4\n16\n2048\n", nil},
		{"in:f.CSV:f64", "b.CSV", "1.5,inf,nan,-0\n", []int{1, 4}},
	} {
		a, err := Parse(c.spec, opts)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := Save(&b, c.path, a.Type, c.shape, a.Data); err != nil || b.String() != c.want {
			t.Errorf("%s: %v, %q, want %q", c.spec, err, b.String(), c.want)
		}
		files["again.csv"] = b.String()
		again, err := Parse("in:again.csv:"+a.Type.String(), opts)
		if err != nil || !bytes.Equal(again.Data, a.Data) {
			t.Errorf("%s: read again: %v", c.spec, err)
		}
	}
	for spec, want := range map[string]string{
		"in:a.csv":         "the type of its numbers is missing",
		"in:bad.csv:i32":   `bad.csv:2: "x" is not an integer`,
		"in:end.csv:i32":   "end.csv:1: a value of type i32 is missing",
		"in:empty.csv:i32": "holds no data",
		"in:a.csv:i8":      "a.csv:3: 2k does not fit i8",
	} {
		if _, err := Parse(spec, opts); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", spec, err, want)
		}
	}
	files["long.csv"] = strings.Repeat("1,", 30) + "1"
	if _, err := Parse("in:long.csv:i64", opts); err == nil || !strings.Contains(err.Error(), "too many numbers") {
		t.Errorf("%v", err)
	}
}

// TestAsBytes checks what :as-bytes may stand behind.
func TestAsBytes(t *testing.T) {
	for spec, raw := range map[string]bool{"iota:i32:4:as-bytes": true, "iota:i32:4:1:2:as-bytes": true, "buf:f32:1,2:as-bytes": true, "zero:f32:2": false, "rand:u32:4:7:1:9:as-bytes": true} {
		a, err := Parse(spec, nil)
		if err != nil || a.Raw != raw {
			t.Errorf("%s: %v, %+v", spec, err, a)
		}
	}
	for _, spec := range []string{"i32:4:as-bytes", "zero:i32:4:as-bytes:as-bytes", "local:4:as-bytes", "null:as-bytes"} {
		if _, err := Parse(spec, nil); err == nil {
			t.Errorf("%s has no error", spec)
		}
	}
}
