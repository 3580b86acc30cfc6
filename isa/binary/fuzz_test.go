package binary

import (
	"bytes"
	"reflect"
	"slices"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
)

// readInto reads a value behind a pointer.
func readInto(r *reader, p any) {
	v := reflect.ValueOf(p).Elem()
	planOf(v.Type()).read(r, v)
}

// FuzzDecode holds that bytes, sealed or not, end in an error or in a program
// that passes the checks and has a binary of its own that says the same.
func FuzzDecode(f *testing.F) {
	data := encoded(f, small())
	f.Add(data)
	f.Add(data[:len(data)/2])
	for _, c := range corpus(f, "saxpy.O*.spv") {
		c.file.Module = nil
		f.Add(encoded(f, c.file))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := Decode(data); err != nil {
			// With the right frame the input reaches what is behind it.
			layout := Layout()
			data = slices.Clone(data)
			if len(data) < headerBytes {
				return
			}
			copy(data, Magic)
			copy(data[8:], []byte{FormatVersion, 0, 0, 0})
			for i := range 8 {
				data[16+i] = byte(uint64(len(data)) >> (8 * i))
			}
			copy(data[24:], layout[:])
			Seal(data)
		}
		file, err := Decode(data)
		if err != nil {
			return
		}
		for _, k := range file.Program.Kernels {
			if err := k.Verify(); err != nil {
				t.Fatal(err)
			}
		}
		var text bytes.Buffer
		if err := file.Program.WriteText(&text); err != nil {
			t.Fatal(err)
		}
		out, err := Encode(file)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Decode(out)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(file, again) {
			t.Error("what came out is not what went in")
		}
	})
}

// FuzzInst holds that an instruction is read back as it was written.
func FuzzInst(f *testing.F) {
	f.Add([]byte{1, 0xff, 0x7f, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15})
	f.Fuzz(func(t *testing.T, data []byte) {
		r := &reader{data: data, end: len(data)}
		var in, again isa.Inst
		if r.inst(&in); r.err != nil {
			return
		}
		w := newWriter()
		w.inst(&in)
		r = &reader{data: w.out, end: len(w.out)}
		if r.inst(&again); r.err != nil || again != in || r.pos != r.end {
			t.Errorf("%+v became %+v (%v)", in, again, r.err)
		}
	})
}
