package npy

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// TestNumPyFiles reads files that NumPy wrote and, where the file is
// little-endian and of version 1.0, expects Write to give NumPy's bytes back.
func TestNumPyFiles(t *testing.T) {
	for _, tc := range []struct {
		file    string
		dtype   DType
		shape   []int
		fortran bool
		data    string // hexadecimal
		exact   bool
	}{
		{"f4_2x3", F32, []int{2, 3}, false, "00000000 0000803f 00000040 00004040 00008040 000000bf", true},
		{"f4_2x3_fortran", F32, []int{2, 3}, true, "00000000 0000803f 00000040 00004040 00008040 000000bf", true},
		{"i4_big_5", I32, []int{5}, false, "01000000 feffffff 03000000 ffffff7f 00000080", false},
		{"u2_3d_fortran_big", U16, []int{2, 3, 4}, true,
			"0000 0100 0200 0300 0400 0500 0600 0700 0800 0900 0a00 0b00 0c00 0d00 0e00 0f00 1000 1100 1200 1300 1400 1500 1600 1700", false},
		{"bool_4", Bool, []int{4}, false, "01 00 00 01", true},
		{"f8_scalar", F64, []int{}, false, "000000000000f83f", true},
		{"f2_3", F16, []int{3}, false, "003c 0041 0080", true},
		{"u8_empty_0x3", U64, []int{0, 3}, false, "", true},
		{"c8_big_2", C64, []int{2}, false, "0000803f 00000040 00004040 000080c0", false},
		{"c16_2", C128, []int{2}, false, "000000000000f03f 0000000000000040 0000000000000840 00000000000010c0", true},
		{"i8_2", I64, []int{2}, false, "ffffffffffffffff 0000000000000040", true},
		{"i1_3", I8, []int{3}, false, "ff 02 03", true},
		{"i2_v2_3", I16, []int{3}, false, "0100 0200 fdff", false},
		{"i2_v3_3", I16, []int{3}, false, "0100 0200 fdff", false},
	} {
		t.Run(tc.file, func(t *testing.T) {
			file, err := os.ReadFile(filepath.Join("testdata", tc.file+".npy"))
			if err != nil {
				t.Fatal(err)
			}
			a, err := Decode(file)
			if err != nil {
				t.Fatal(err)
			}
			want, err := hex.DecodeString(strings.ReplaceAll(tc.data, " ", ""))
			if err != nil {
				t.Fatal(err)
			}
			if a.DType != tc.dtype || !slices.Equal(a.Shape, tc.shape) || a.Fortran != tc.fortran || !bytes.Equal(a.Data, want) {
				t.Errorf("got %v %v fortran=%v % x\nwant %v %v fortran=%v % x",
					a.DType, a.Shape, a.Fortran, a.Data, tc.dtype, tc.shape, tc.fortran, want)
			}
			var out bytes.Buffer
			if err := Write(&out, a); err != nil {
				t.Fatal(err)
			}
			if tc.exact && !bytes.Equal(out.Bytes(), file) {
				t.Errorf("Write gives\n%q\nNumPy wrote\n%q", out.Bytes(), file)
			}
			b, err := Decode(out.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			if b.DType != a.DType || !slices.Equal(b.Shape, a.Shape) || b.Fortran != a.Fortran || !bytes.Equal(b.Data, a.Data) {
				t.Errorf("after a round trip: %+v, want %+v", b, a)
			}
		})
	}
}

// file returns a version 1.0 file with this header text and these element bytes.
func file(header string, data string) []byte {
	b := append([]byte(magic), 1, 0)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(header)))
	return append(append(b, header...), data...)
}

func TestHeaderForms(t *testing.T) {
	for _, header := range []string{
		`{"descr":"|u1","fortran_order":False,"shape":(2,)}`,
		"{'shape': (2L,), 'fortran_order': False, 'descr': 'u1', }  \n",
		"{ 'shape' : ( 1L , 2 , ) , 'descr' : '=u1' , 'fortran_order' : True }",
	} {
		a, err := Decode(file(header, "ab"))
		if err != nil {
			t.Errorf("%q: %v", header, err)
		} else if a.DType != U8 || string(a.Data) != "ab" {
			t.Errorf("%q: got %+v", header, a)
		}
	}
}

func TestBadFiles(t *testing.T) {
	dict := func(descr, order, shape string) string {
		return fmt.Sprintf("{'descr': %s, 'fortran_order': %s, 'shape': %s, }\n", descr, order, shape)
	}
	read := func(name string) []byte {
		b, err := os.ReadFile(filepath.Join("testdata", name+".npy"))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	for _, tc := range []struct {
		name  string
		file  []byte
		off   int64
		msg   string
		cause error
	}{
		{"empty", nil, 0, "ends after 0 of the 8 bytes", io.ErrUnexpectedEOF},
		{"cut magic", []byte("\x93NUM"), 4, "ends after 4", io.ErrUnexpectedEOF},
		{"not npy", []byte("\x7fELF\x02\x01\x01\x00"), 0, "not a .npy file", nil},
		{"version", []byte("\x93NUMPY\x04\x00"), 6, "version 4.0", ErrUnsupported},
		{"minor version", []byte("\x93NUMPY\x01\x07"), 6, "version 1.7", ErrUnsupported},
		{"no header length", []byte("\x93NUMPY\x01\x00\x01"), 9, "header length", io.ErrUnexpectedEOF},
		{"huge header", []byte("\x93NUMPY\x02\x00\xff\xff\xff\xff"), 8, "4294967295 bytes long", nil},
		{"cut header", []byte("\x93NUMPY\x01\x00\x10\x00{"), 11, "1 of the 16 bytes of the header", io.ErrUnexpectedEOF},
		{"no dictionary", file("hello", ""), 10, "expected a dictionary", nil},
		{"open dictionary", file("{'descr': '<f4'", ""), 25, "expected ',' or '}'", nil},
		{"empty dictionary", file("{}", ""), 10, "'descr' is missing", nil},
		{"missing shape", file("{'descr':'<f4','fortran_order':False}", ""), 10, "'shape' is missing", nil},
		{"double key", file("{'descr':'<f4','descr':'<f4'}", ""), 25, "occurs twice", nil},
		{"unknown key", file("{'x': 1}", ""), 11, "unknown key 'x'", nil},
		{"number as key", file("{1: 1}", ""), 11, "expected a string", nil},
		{"open string", file("{'descr", ""), 11, "has no end", nil},
		{"escape", file(`{'de\x73cr`, ""), 14, "unexpected character", nil},
		{"no colon", file("{'descr' '<f4'}", ""), 19, "expected ':'", nil},
		{"tail", file(dict("'<f4'", "False", "(0,)")+"x", ""), 68, "text after the dictionary", nil},
		{"order", file(dict("'<f4'", "Maybe", "(0,)"), ""), 44, "neither True nor False", nil},
		{"descr number", file(dict("4", "False", "(0,)"), ""), 20, "expected a string", nil},
		{"descr empty", file(dict("''", "False", "(0,)"), ""), 20, "type string is empty", nil},
		{"descr order only", file(dict("'<'", "False", "(0,)"), ""), 20, "names no type", nil},
		{"descr unknown", file(dict("'<q8'", "False", "(0,)"), ""), 20, "unknown type string", nil},
		{"descr orderless", file(dict("'|f4'", "False", "(0,)"), ""), 20, "has no byte order", nil},
		{"structured list", file(dict("[('a', '<f4')]", "False", "(0,)"), ""), 20, "structured types", ErrUnsupported},
		{"shape number", file(dict("'<f4'", "False", "3"), ""), 60, "not a tuple", nil},
		{"shape parenthesis", file(dict("'<f4'", "False", "(3)"), ""), 63, "one dimension is written (n,)", nil},
		{"shape gap", file(dict("'<f4'", "False", "(3 4)"), ""), 63, "expected ',' or ')'", nil},
		{"shape word", file(dict("'<f4'", "False", "(x,)"), ""), 61, "expected an integer", nil},
		{"shape negative", file(dict("'<f4'", "False", "(-1,)"), ""), 61, "is negative", nil},
		{"shape huge extent", file(dict("'<f4'", "False", "(99999999999999999999,)"), ""), 61, "larger than can be addressed", nil},
		{"shape overflow", file(dict("'<f4'", "False", "(4294967296, 4294967296)"), ""), 60, "more elements than", nil},
		{"shape overflow beside zero", file(dict("'<f4'", "False", "(0, 4294967296, 4294967296)"), ""), 60, "more elements than", nil},
		{"bytes overflow", file(dict("'<f8'", "False", "(2305843009213693952,)"), ""), 60, "more than the", nil},
		{"dimensions", file(dict("'<f4'", "False", "("+strings.Repeat("1,", 65)+")"), ""), 189, "more than 64 dimensions", nil},
		{"2^40 elements", file(dict("'<f4'", "False", "(1099511627776,)"), "abcd"), 84, "4 of the 4398046511104 bytes", io.ErrUnexpectedEOF},
		{"cut data", file(dict("'<f4'", "False", "(2,)"), "abcdefg"), 75, "7 of the 8 bytes of 2 elements of f32", io.ErrUnexpectedEOF},
		{"tail data", file(dict("'<f4'", "False", "(1,)"), "abcdefg"), 72, "3 bytes follow", nil},
		{"bool 2", file(dict("'|b1'", "False", "(2,)"), "\x01\x02"), 69, "boolean has the byte value 2", nil},
		{"structured", read("structured"), 20, "structured types", ErrUnsupported},
		{"dates", read("dates"), 20, "dates", ErrUnsupported},
		{"text", read("text"), 20, "Unicode", ErrUnsupported},
		{"long double", read("longdouble"), 20, "of this width", ErrUnsupported},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := Decode(tc.file)
			var fe *FormatError
			if !errors.As(err, &fe) {
				t.Fatalf("got %v, want a FormatError", err)
			}
			if fe.Offset != tc.off || !strings.Contains(fe.Msg, tc.msg) {
				t.Errorf("got byte %d: %s\nwant byte %d: …%s…", fe.Offset, fe.Msg, tc.off, tc.msg)
			}
			if tc.cause != nil && !errors.Is(err, tc.cause) {
				t.Errorf("%v is not %v", err, tc.cause)
			}
			if tc.cause == nil && fe.Err != nil {
				t.Errorf("unexpected cause %v", fe.Err)
			}
		})
	}
}

// TestReadLeavesTheRest: a stream may hold more after the array.
func TestReadLeavesTheRest(t *testing.T) {
	r := strings.NewReader(string(file("{'descr':'|u1','fortran_order':False,'shape':(2,)}", "abrest")))
	a, err := Read(iotest.OneByteReader(r))
	if err != nil || string(a.Data) != "ab" {
		t.Fatalf("got %+v, %v", a, err)
	}
	if rest, _ := io.ReadAll(r); string(rest) != "rest" {
		t.Errorf("left %q", rest)
	}
}

func TestReadLimit(t *testing.T) {
	f := file("{'descr':'<f4','fortran_order':False,'shape':(2,)}", "abcdefgh")
	if _, err := ReadLimit(bytes.NewReader(f), 8); err != nil {
		t.Error(err)
	}
	if _, err := ReadLimit(bytes.NewReader(f), 7); err == nil || !strings.Contains(err.Error(), "the 7 bytes that are accepted") {
		t.Errorf("got %v", err)
	}
}

// TestLargeRead goes through the growing buffer (a reader of unknown length) and
// through the exact one, with more data than a chunk.
func TestLargeRead(t *testing.T) {
	want := &Array{DType: U16, Shape: []int{3, 1 << 19}, Data: make([]byte, 3<<20)}
	for i := range want.Data {
		want.Data[i] = byte(i * 7 >> 3)
	}
	var f bytes.Buffer
	if err := Write(&f, want); err != nil {
		t.Fatal(err)
	}
	for _, r := range []io.Reader{bytes.NewReader(f.Bytes()), iotest.HalfReader(bytes.NewReader(f.Bytes()))} {
		got, err := Read(r)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Data, want.Data) {
			t.Errorf("%T: the elements differ", r)
		}
	}
}

func TestReadErrorIsKept(t *testing.T) {
	_, err := Read(iotest.ErrReader(os.ErrClosed))
	if !errors.Is(err, os.ErrClosed) {
		t.Errorf("got %v", err)
	}
}

func TestWriteRefuses(t *testing.T) {
	for _, tc := range []struct {
		a   Array
		msg string
	}{
		{Array{}, "elements of DType(0)"},
		{Array{DType: 200}, "elements of DType(200)"},
		{Array{DType: F32, Shape: []int{2}, Data: make([]byte, 7)}, "do not take 7 bytes"},
		{Array{DType: F32, Shape: []int{-1}}, "negative extent"},
		{Array{DType: F32, Shape: []int{math.MaxInt, 2}}, "more elements"},
		{Array{DType: F32, Shape: make([]int, 65)}, "65 dimensions"},
	} {
		if err := Write(io.Discard, &tc.a); err == nil || !strings.Contains(err.Error(), tc.msg) {
			t.Errorf("%+v: got %v, want …%s…", tc.a, err, tc.msg)
		}
	}
}

// FuzzDecode: no input may panic, and what is accepted survives a round trip.
func FuzzDecode(f *testing.F) {
	files, err := filepath.Glob("testdata/*.npy")
	if err != nil || len(files) == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		a, err := Decode(b)
		if err != nil {
			var fe *FormatError
			if !errors.As(err, &fe) || fe.Offset < 0 || fe.Offset > int64(len(b)) {
				t.Fatalf("error without a place in the file: %v", err)
			}
			return
		}
		var out bytes.Buffer
		if err := Write(&out, a); err != nil {
			t.Fatalf("cannot write what was read: %v", err)
		}
		c, err := Decode(out.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if c.DType != a.DType || !slices.Equal(c.Shape, a.Shape) || !bytes.Equal(c.Data, a.Data) {
			t.Fatalf("round trip: %+v, want %+v", c, a)
		}
	})
}
