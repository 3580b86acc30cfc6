package argspec

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/lockstep-gpu/lockstep/emu/npy"
)

var update = flag.Bool("update", false, "rewrite the golden files under testdata")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs (go test -update rewrites it); got:\n%s", path, got)
	}
}

// files is what in: finds in these tests.
func files(t *testing.T) fstest.MapFS {
	npyFile := func(a *npy.Array) []byte {
		var b bytes.Buffer
		if err := npy.Write(&b, a); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	return fstest.MapFS{
		"raw.bin":    {Data: []byte{1, 2, 3, 4, 5, 6, 7, 8}},
		"odd.bin":    {Data: []byte{1, 2, 3}},
		"empty.bin":  {},
		"a:f32.bin":  {Data: []byte{9}},
		"v.npy":      {Data: npyFile(&npy.Array{DType: npy.I16, Shape: []int{2}, Data: []byte{1, 0, 2, 0}})},
		"m.NPY":      {Data: npyFile(&npy.Array{DType: npy.U8, Shape: []int{2, 3}, Data: []byte{1, 2, 3, 4, 5, 6}})},
		"c.npy":      {Data: npyFile(&npy.Array{DType: npy.C64, Shape: []int{1}, Data: make([]byte, 8)})},
		"b.npy":      {Data: npyFile(&npy.Array{DType: npy.Bool, Shape: []int{2}, Data: []byte{0, 1}})},
		"broken.npy": {Data: []byte("\x93NUMPY\x01\x00")},
	}
}

func TestParse(t *testing.T) {
	opts := &Options{Open: OpenFS(files(t))}
	for _, tc := range []struct {
		spec  string
		kind  Kind
		typ   Type
		count int
		data  string // hexadecimal
	}{
		{"i8:-128", Value, I8, 1, "80"},
		{"i8:127,+1,0x7f,-0x80,0b11,0o17,017", Value, I8, 7, "7f 01 7f 80 03 0f 0f"},
		{"u8:255, 0,\t+7", Value, U8, 3, "ff 00 07"},
		{"i16:-2", Value, I16, 1, "feff"},
		{"u16:0xBEEF", Value, U16, 1, "efbe"},
		{"i32:-2147483648,2147483647", Value, I32, 2, "00000080 ffffff7f"},
		{"u32:4294967295,1_000", Value, U32, 1 + 1, "ffffffff e8030000"},
		{"i64:-9223372036854775808", Value, I64, 1, "0000000000000080"},
		{"u64:18446744073709551615", Value, U64, 1, "ffffffffffffffff"},
		{"f16:1,-0,65504,0x1p-24,inf,-inf,nan", Value, F16, 7, "003c 0080 ff7b 0100 007c 00fc 007e"},
		{"f32:1,-0,0x1.8p3,1e-45,INF,-Infinity,NaN,-nan", Value, F32, 8,
			"0000803f 00000080 00004041 01000000 0000807f 000080ff 0000c07f 0000c0ff"},
		{"f32:16777217,16777219", Value, F32, 2, "0000804b 0200804b"},
		{"f32:nan(0x7f800001),nan(0xffc00000)", Value, F32, 2, "0100807f 0000c0ff"},
		{"f64:0.1,-2.5", Value, F64, 2, "9a9999999999b93f 00000000000004c0"},
		{"f64:1e-400", Value, F64, 1, "0000000000000000"},
		{"i16:7*3,1", Value, I16, 4, "0700 0700 0700 0100"},
		{"u8:0*1k", Value, U8, 1024, strings.Repeat("00", 1024)},
		{"i32:5,f64:2.5,u8:1", Value, U8, 24, "05000000 00000000 0000000000000440 01 00000000000000"},
		{"u8:1,u16:2,3,u8:4", Value, U8, 8, "01 00 0200 0300 04 00"},
		{"i32:1,i32:2", Value, I32, 2, "01000000 02000000"},
		{"bytes:00ff_7F 80", Value, U8, 4, "00ff7f80"},
		{"buf:i32:1,-1*4", Buffer, I32, 5, "01000000 ffffffff ffffffff ffffffff ffffffff"},
		{"zero:f64:2", Buffer, F64, 2, "0000000000000000 0000000000000000"},
		{"zero:u8:2k", Buffer, U8, 2048, strings.Repeat("00", 2048)},
		{"iota:u16:3", Buffer, U16, 3, "0000 0100 0200"},
		{"iota:i8:4:126:1", Buffer, I8, 4, "7e 7f 80 81"},
		{"iota:i32:3:10:-3", Buffer, I32, 3, "0a000000 07000000 04000000"},
		{"iota:f32:3", Buffer, F32, 3, "00000000 0000803f 00000040"},
		{"iota:f32:2:0.5:0.25", Buffer, F32, 2, "0000003f 0000403f"},
		{"iota:f16:2", Buffer, F16, 2, "0000 003c"},
		{"fill:f32:2:-1", Buffer, F32, 2, "000080bf 000080bf"},
		{"rand:u64:2:0", Buffer, U64, 2, "afcd1d7b39a820e2 f465b9a16a9e786e"},
		{"rand:u8:3:0", Buffer, U8, 3, "e2 6e 06"},
		{"in:raw.bin", Buffer, U8, 8, "0102030405060708"},
		{"in:raw.bin:u32", Buffer, U32, 2, "0102030405060708"},
		{"in:a:f32.bin", Buffer, U8, 1, "09"},
		{"in:v.npy", Buffer, I16, 2, "0100 0200"},
		{"in:v.npy:u8", Buffer, U8, 4, "01000200"},
		{"in:b.npy", Buffer, U8, 2, "0001"},
		{"local:64", Local, U8, 64, ""},
		{"local:0x10", Local, U8, 16, ""},
		{"local:2Ki", Local, U8, 2048, ""},
		{"null", Null, U8, 0, ""},
	} {
		a, err := Parse(tc.spec, opts)
		if err != nil {
			t.Errorf("%s: %v", tc.spec, err)
			continue
		}
		want, err := hex.DecodeString(strings.ReplaceAll(tc.data, " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		if a.Kind != tc.kind || a.Type != tc.typ || a.Count != tc.count || !bytes.Equal(a.Data, want) || a.Shape != nil {
			t.Errorf("%s: got %v %v×%d % x shape %v\nwant %v %v×%d % x",
				tc.spec, a.Kind, a.Type, a.Count, a.Data, a.Shape, tc.kind, tc.typ, tc.count, want)
		}
	}
	for spec, shape := range map[string][]int{"in:m.NPY": {2, 3}, "in:c.npy": {1, 2}} {
		a, err := Parse(spec, opts)
		if err != nil || !slices.Equal(a.Shape, shape) {
			t.Errorf("%s: shape %v, %v; want %v", spec, a.Shape, err, shape)
		}
	}
}

// TestErrors keeps every message, with its column, in a golden file.
func TestParseResource(t *testing.T) {
	opts := &Options{Open: OpenFS(files(t))}
	for spec, want := range map[string]Arg{
		"resource:0:8:zero:u32:2":            {Type: U32, Count: 2, Data: make([]byte, 8), Resource: &Resource{Records: 8}},
		"resource: 0x10 : 1k :buf:u8:1,2":    {Type: U8, Count: 2, Data: []byte{1, 2}, Resource: &Resource{Stride: 16, Records: 1024}},
		"resource:16383:4294967295:in:v.npy": {Type: I16, Count: 2, Data: []byte{1, 0, 2, 0}, Resource: &Resource{Stride: 16383, Records: 1<<32 - 1}},
		"resource:4:0:fill:u8:1:7":           {Type: U8, Count: 1, Data: []byte{7}, Resource: &Resource{Stride: 4}},
	} {
		want.Kind = Buffer
		a, err := Parse(spec, opts)
		if err != nil {
			t.Errorf("%s: %v", spec, err)
		} else if !reflect.DeepEqual(a, &want) {
			t.Errorf("%s: %+v", spec, a)
		}
	}
	for spec, column := range map[string]int{
		"resource":                                  1,
		"resource:":                                 10,
		"resource:4":                                11,
		"resource:4:1":                              13,
		"resource:4:1:":                             14,
		"resource:x:1:zero:u8:1":                    10,
		"resource:-1:1:zero:u8:1":                   10,
		"resource:16384:1:zero:u8:1":                10,
		"resource:16k:1:zero:u8:1":                  10,
		"resource:4:4294967296:zero:u8:1":           12,
		"resource:4:4g:zero:u8:1":                   12,
		"resource:4:99999999999999999999:zero:u8:1": 12,
		"resource:4:1:null":                         14,
		"resource:4:1:local:4":                      14,
		"resource:4:1:i32:5":                        14,
		"resource:4:1:resource:4:1:zero:u8:1":       14,
		"resource:4:1:zero:u8:1:1":                  24,
		"resource:4:1:buf:u8:300":                   21,
	} {
		_, err := Parse(spec, opts)
		var e *Error
		if !errors.As(err, &e) || e.Column != column {
			t.Errorf("%q: %v, want an error at column %d", spec, err, column)
		}
	}
}

func TestErrors(t *testing.T) {
	opts := &Options{Open: OpenFS(files(t)), MaxBytes: 1 << 20}
	var out bytes.Buffer
	for _, spec := range []string{
		"", "nil", "i32", "foo:1", "null:1", "i7:1",
		"i8:128", "i8:-129", "u8:256", "u8:-1", "u64:-1", "i32:0xffffffff", "u64:18446744073709551616", "u32:-99999999999999999999",
		"i32:", "i32:1,,2", "i32:1,", "i32:1.5", "i32:0x", "i32:zwei", "i32:08", "u32:--1",
		"f32:", "f32:x", "f32:1e39", "f64:1e309", "f16:65520", "f16:1e400", "f32:0x10", "f32:nan(0x7f800000)", "f32:nan(1)", "f32:-nan(0x7f800001)", "f32:nan(x)",
		"i32:1*0", "i32:1*", "i32:1*-1", "i32:1*x", "i32:1*1m", "u8:1*1m,1", "i32:1*9999999999999999999",
		"i32:1,q8:1", "i32:" + strings.Repeat("1", 2001),
		"bytes:", "bytes:abc", "bytes:0g",
		"buf:", "buf:1,2", "buf:i32", "buf:i99:1", "buf:i32:1,300000000000",
		"zero:", "zero:u8", "zero:u8:", "zero:u8:0", "zero:u8:-3", "zero:u8:k", "zero:u8:4q", "zero:u8:1:2", "zero:u9:1", "zero:u32:1m", "zero:u8:2g", "zero:u8:99999999999999999999", "zero:u8:1099511627776",
		"iota:i8:4:200", "iota:i8:4:1:1:1", "iota:f32:2:x",
		"fill:i32:4", "fill:i32:4:x", "fill:i32:4:1:2",
		"rand:i32:4", "rand:i32:4:-1", "rand:i32:4:1:0", "rand:i32:4:1:5:4", "rand:u8:4:1:0:256", "rand:f32:4:1:1:1", "rand:f32:4:1:0:inf", "rand:f32:4:1:nan:1", "rand:f32:4:1:0:1:2", "rand:u64:1:1:5:4",
		"in:", "in::f32", "in:missing.bin", "in:odd.bin:u16", "in:empty.bin", "in:broken.npy", "in:v.npy:f64",
		"local:", "local:0", "local:x", "local:2g",
		"image:", "image:2d", "image:x.jpg", "image:4x4", "image:4x", "image:0x4:r:u8", "image:4x65537:r:u8", "image:4x4:rrr:u8", "image:4x4:r", "image:4x4:rgb:u8", "image:1kx1:r:u8",
		"image:99999999999999999999x1:r:u8", "image:65536x65536:r:u8", "image:4x4@3:r:u8", "image:4x4@x:r:u8", "image:4x4@4+:r:u8", "image:4x4@17:rgba:u8", "image:4x4@16+2:rgba:u8", "image:2x1024@1073741824:r:u8",
		"image:2x2:r:u8:zero:u8:5", "image:2x2:r:u8:null", "image:2x2:r:u8:zero:u9:4", "image:missing.png", "image:odd.bin.png", "image:broken.npy", "image:v.npy", "image:v.npy:rgba:f32", "image:v.npy:rgb:f32",
		"sampler:", "sampler:nearest,", "sampler:nearest,linear", "sampler:near", "sampler:linear,repeat,unnormalized", "sampler:clamp,normalized, none",
		"image1d:4x4:r:u8", "image3d:4x4:r:u8", "image3d:4x4x4x4:r:u8", "image2d:4:r:u8", "image1d:4:depth:f32", "image:4x4/4:r:u8", "image:4x4/0:r:u8", "image1d_buffer:4/2:r:u8",
		"image1d:8@8:r:u8", "image:8x8/2@8:r:u8", "image3d:65536x65536x65536:rgba:f32", "image2d_array:v.npy", "image4d:4:r:u8",
		"pipe", "pipe:", "pipe:4", "pipe:f32", "pipe:f32x4", "pipe:4:", "pipe:4:0", "pipe:4:x", "pipe:0:4", "pipe:-4:4", "pipe:1048577:4", "pipe:99999999999999999999:4", "pipe:f33:4",
		"pipe:f32x:4", "pipe:f32x0:4", "pipe:f32x262145:4", "pipe:f32x99999999999999999999:4", "pipe:f32xx:4", "pipe:4:262145", "pipe:1:4g", "pipe:1:8g", "pipe:4:16:", "pipe:4:16:null", "pipe:4:16:i32:5", "pipe:4:16:pipe:4:1",
		"pipe:4:16:zero:u8:7", "pipe:4:2:zero:u8:13", "pipe:4:16:zero:u9:4", "pipe:4:16:in:", "pipe:4:16:in:missing.bin", "pipe:4:16:in:odd.bin", "pipe:4:16:in:broken.npy", "pipe:4:16:in:v.npy:f64", "pipe:a b", "pipe:4a", "pipe:äh",
	} {
		a, err := Parse(spec, opts)
		if err == nil {
			t.Errorf("%q is accepted: %+v", spec, a)
			continue
		}
		var se *Error
		if !errors.As(err, &se) {
			t.Errorf("%q: %v is no *Error", spec, err)
			continue
		}
		fmt.Fprintln(&out, err)
	}
	golden(t, "errors.txt", out.Bytes())

	if _, err := Parse("in:missing.bin", opts); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
	var fe *npy.FormatError
	if _, err := Parse("in:broken.npy", opts); !errors.As(err, &fe) {
		t.Errorf("broken file: %v", err)
	}
}

func TestFileLimits(t *testing.T) {
	opts := &Options{Open: OpenFS(files(t)), MaxBytes: 4}
	for spec, ok := range map[string]bool{"in:raw.bin": false, "in:odd.bin": true, "in:v.npy": true, "in:m.NPY": false} {
		if _, err := Parse(spec, opts); (err == nil) != ok {
			t.Errorf("%s with a limit of 4 bytes: %v", spec, err)
		}
	}
}

// TestOpenDefault: without Options files come from the file system.
func TestOpenDefault(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.bin")
	if err := os.WriteFile(path, []byte{1, 2}, 0o666); err != nil {
		t.Fatal(err)
	}
	a, err := Parse("in:"+path+":u16", nil)
	if err != nil || a.Count != 1 || a.Data[1] != 2 {
		t.Errorf("got %+v, %v", a, err)
	}
}

// TestSplitMix checks the generator against the first outputs that its authors'
// reference implementation gives for two seeds.
func TestSplitMix(t *testing.T) {
	for seed, want := range map[uint64][]uint64{
		0:       {0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4, 0x06c45d188009454f, 0xf88bb8a8724c81ec},
		1234567: {6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821},
	} {
		for i, w := range want {
			if got := splitMix(seed, uint64(i)); got != w {
				t.Errorf("seed %d, output %d: %d, want %d", seed, i, got, w)
			}
		}
	}
}

// TestRandRanges: results stay in their range and reach all of it.
func TestRandRanges(t *testing.T) {
	values := func(spec string) []float64 {
		a, err := Parse(spec, nil)
		if err != nil {
			t.Fatal(err)
		}
		var v []float64
		for i := 0; i < len(a.Data); i += a.Type.Size() {
			if a.Type.Float() {
				v = append(v, floatOf(a.Type, get(a.Data[i:], a.Type.Size())))
			} else {
				shift := 64 - 8*a.Type.Size()
				v = append(v, float64(int64(get(a.Data[i:], a.Type.Size())<<shift)>>shift))
			}
		}
		return v
	}
	for _, tc := range []struct {
		spec     string
		lo, hi   float64 // both allowed
		min, max float64 // must be passed by some value
	}{
		{"rand:i8:2000:1", -128, 127, -126, 126},
		{"rand:i32:2000:7:-3:3", -3, 3, -3, 3},
		{"rand:i8:2000:7:-128:127", -128, 127, -127, 126},
		{"rand:i16:5:7:9:9", 9, 9, 9, 9},
		{"rand:f16:4000:3", 0, 1 - 0x1p-11, 0.01, 0.99},
		{"rand:f32:4000:3", 0, 1 - 0x1p-24, 0.01, 0.99},
		{"rand:f64:4000:3", 0, 1 - 0x1p-53, 0.01, 0.99},
		{"rand:f16:20000:3:-1:1", -1, 1 - 0x1p-11, -0.999, 1 - 0x1p-11},
		{"rand:f32:4000:3:-10:30", -10, math.Nextafter(30, 0), -9.9, 29.9},
		{"rand:f64:4000:3:-1e308:1e308", -1e308, 1e308, -9.9e307, 9.9e307},
		{"rand:f16:100:3:0:0x1p-24", 0, 0, 0, 0},
		{"rand:f16:100:3:-0x1p-24:0", -0x1p-24, -0x1p-24, -0x1p-24, -0x1p-24},
	} {
		v := values(tc.spec)
		if lo, hi := slices.Min(v), slices.Max(v); lo < tc.lo || hi > tc.hi || lo > tc.min || hi < tc.max {
			t.Errorf("%s: values from %v to %v", tc.spec, lo, hi)
		}
	}
	// An unsigned range that is the whole of u64 has a span that does not fit 64 bits.
	whole, _ := Parse("rand:u64:8:5:0:18446744073709551615", nil)
	full, _ := Parse("rand:u64:8:5", nil)
	if !bytes.Equal(whole.Data, full.Data) {
		t.Error("the whole range of u64 differs from no range")
	}
}

func TestBelow(t *testing.T) {
	for _, tc := range []struct {
		t       Type
		v, want float64
	}{
		{F32, 1, 1 - 0x1p-24}, {F32, 0, -0x1p-149}, {F32, -1, -1 - 0x1p-23}, {F16, 0x1p-24, 0},
	} {
		if got := below(tc.t, floatBits(tc.t, tc.v)); got != tc.want {
			t.Errorf("below %v %v: %v, want %v", tc.t, tc.v, got, tc.want)
		}
	}
	if got := below(F64, math.Float64bits(math.Copysign(0, -1))); got != -math.SmallestNonzeroFloat64 {
		t.Errorf("below -0: %v", got)
	}
}

// TestHalf checks the conversion both ways for all binary16 numbers, and the rounding
// of everything halfway between two neighbours and next to that.
func TestHalf(t *testing.T) {
	for h := range uint32(0x7c01) {
		v := halfToFloat(uint16(h))
		for _, sign := range []uint16{0, 0x8000} {
			f := v
			if sign != 0 {
				f = -v
			}
			if got := halfFromFloat(f, 0); got != uint16(h)|sign {
				t.Fatalf("%#x: %v converts back to %#x", h, f, got)
			}
		}
		if h >= 0x7c00 {
			continue
		}
		next := halfToFloat(uint16(h + 1))
		if h == 0x7bff {
			next = 65536
		}
		mid := (v + next) / 2
		even := uint16(h + h&1)
		for _, c := range []struct {
			f     float64
			exact int
			want  uint16
		}{
			{mid, 0, even}, {mid, -1, uint16(h)}, {mid, 1, uint16(h + 1)},
			{math.Nextafter(mid, 0), 0, uint16(h)}, {math.Nextafter(mid, 1e9), 0, uint16(h + 1)},
		} {
			if got := halfFromFloat(c.f, c.exact); got != c.want {
				t.Fatalf("%v (exact %d) converts to %#x, want %#x", c.f, c.exact, got, c.want)
			}
		}
	}
	if !math.IsNaN(halfToFloat(0x7e00)) || halfFromFloat(math.NaN(), 0)&0x7fff != 0x7e00 {
		t.Error("NaN is not kept")
	}
	if halfToFloat(0x3555) != 0.333251953125 || halfToFloat(0xc000) != -2 {
		t.Error("known values differ")
	}
}

// TestHalfTextRoundsOnce: 1+2^-11 is a tie that goes to 1; anything above it, however
// little, goes up, though its float64 is the tie itself.
func TestHalfTextRoundsOnce(t *testing.T) {
	for spec, want := range map[string]string{
		"f16:1.00048828125":                          "003c",
		"f16:1.0004882812500000000000000000000001":   "013c",
		"f16:-1.0004882812500000000000000000000001":  "01bc",
		"f16:1.0014648437499999999999999999999999":   "013c",
		"f16:0x1.0020000000000000000001p0":           "013c",
		"f16:65519.999999999999999999999999999":      "ff7b",
		"f16:0x1p-25":                                "0000",
		"f16:2.98023223876953125000000000000001e-08": "0100",
	} {
		a, err := Parse(spec, nil)
		if err != nil || hex.EncodeToString(a.Data) != want {
			t.Errorf("%s: %+v %v, want %s", spec, a, err, want)
		}
	}
}

// TestTextRoundTrip: what AppendList writes, Parse reads back to the same bits.
func TestTextRoundTrip(t *testing.T) {
	check := func(typ Type, data []byte) {
		t.Helper()
		spec := "buf:" + typ.String() + ":" + string(AppendList(nil, typ, data))
		a, err := Parse(spec, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a.Data, data) {
			t.Fatalf("%v: % x became % x through %s", typ, data, a.Data, excerpt(spec, 0))
		}
	}
	var all []byte
	for h := range 1 << 16 {
		all = append(all, byte(h), byte(h>>8))
	}
	for _, typ := range []Type{I8, U8, I16, U16, F16} {
		check(typ, all)
	}
	for typ := range Type(len(types)) {
		a, err := Parse(fmt.Sprintf("rand:u8:%d:42", 512*typ.Size()), nil)
		if err != nil {
			t.Fatal(err)
		}
		check(typ, a.Data)
		check(typ, bytes.Repeat([]byte{0x80}, 64))
	}
}

func TestAppendList(t *testing.T) {
	for spec, want := range map[string]string{
		"buf:i32:1,1,1,2,2,2,2,2,3":            "1,1,1,2*5,3",
		"buf:f32:0.1,-0,1e-5,3e38,123456789":   "0.1,-0,1e-05,3e+38,123456790",
		"buf:f16:0.1,0.3333,65504,6e-8":        "0.1,0.3333,65500,6e-08",
		"buf:f64:0.1,1e15,1e16,0.0001,0.00001": "0.1,1000000000000000,1e+16,0.0001,1e-05",
		"buf:f32:nan,-nan,inf,-inf":            "nan,nan(0xffc00000),inf,-inf",
	} {
		a, err := Parse(spec, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(AppendList(nil, a.Type, a.Data)); got != want {
			t.Errorf("%s: %s, want %s", spec, got, want)
		}
	}
}

func TestFormat(t *testing.T) {
	var out bytes.Buffer
	for _, spec := range []string{
		"iota:u8:70", "rand:i32:20:1", "buf:f32:0.1,-2.5,nan,inf,1e-30", "rand:f64:9:2", "buf:i64:7", "rand:i64:10:4", "fill:u8:3:1", "zero:u16:101",
	} {
		a, err := Parse(spec, nil)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&out, spec)
		if err := Format(&out, a.Type, a.Data); err != nil {
			t.Fatal(err)
		}
	}
	if err := Format(&out, F32, nil); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		if len(line) > gridWidth+1 {
			t.Errorf("%d columns: %s", len(line)-1, line)
		}
	}
	golden(t, "format.txt", out.Bytes())
}

func TestAppendJSON(t *testing.T) {
	a, err := Parse("buf:f32:1,-0.5,nan,inf,-inf,nan(0x7f800001)", nil)
	if err != nil {
		t.Fatal(err)
	}
	got := AppendJSON(nil, a.Type, a.Data)
	if want := `[1,-0.5,"nan","inf","-inf","nan(0x7f800001)"]`; string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if !json.Valid(got) {
		t.Error("not valid JSON")
	}
	for typ := range Type(len(types)) {
		r, err := Parse(fmt.Sprintf("rand:u8:%d:9", 64*typ.Size()), nil)
		if err != nil {
			t.Fatal(err)
		}
		if j := AppendJSON(nil, typ, r.Data); !json.Valid(j) {
			t.Errorf("%v: not valid JSON: %s", typ, j)
		}
	}
}

func TestSave(t *testing.T) {
	data := []byte{1, 0, 2, 0, 3, 0, 4, 0}
	var raw, grid, file, shaped bytes.Buffer
	for name, w := range map[string]*bytes.Buffer{"x.bin": &raw, "-": &grid, "x.npy": &file} {
		if err := Save(w, name, U16, nil, data); err != nil {
			t.Fatal(err)
		}
	}
	if err := Save(&shaped, "y.NPY", U16, []int{2, 2}, data); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(raw.Bytes(), data) {
		t.Errorf("raw: % x", raw.Bytes())
	}
	if grid.String() != "0: 1 2 3 4\n" {
		t.Errorf("grid: %q", grid.String())
	}
	for b, shape := range map[*bytes.Buffer][]int{&file: {4}, &shaped: {2, 2}} {
		a, err := npy.Decode(b.Bytes())
		if err != nil || a.DType != npy.U16 || !slices.Equal(a.Shape, shape) || !bytes.Equal(a.Data, data) {
			t.Errorf("npy: %+v, %v", a, err)
		}
	}
}

func TestFit(t *testing.T) {
	for _, tc := range []struct {
		spec string
		size int
		want string // hexadecimal; empty for an error
	}{
		{"i32:1", 4, "01000000"},
		{"u8:1,2,3", 3, "010203"},
		{"u8:1,2,3", 4, "01020300"},
		{"u8:1,2", 4, ""},
		{"i32:1", 8, ""},
		{"zero:u8:4", 4, ""},
		{"null", 8, ""},
	} {
		a, err := Parse(tc.spec, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := a.Fit(tc.size)
		if hex.EncodeToString(got) != tc.want || (err == nil) != (tc.want != "") {
			t.Errorf("%s for %d bytes: %x, %v", tc.spec, tc.size, got, err)
		}
	}
}

func TestParseDims(t *testing.T) {
	for s, want := range map[string][]uint64{"7": {7}, "1Mi,2k": {1 << 20, 2048}, "1, 2,3": {1, 2, 3}, "0x10,0": {16, 0}} {
		got, err := ParseDims(s)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v", s, got, err)
		}
	}
	for s, column := range map[string]int{"": 1, "1,": 3, "1,2,3,4": 7, "1,-2": 3, "x": 1, "k": 1, "99999999999999999999": 1, "99999999999g": 1} {
		_, err := ParseDims(s)
		var e *Error
		if !errors.As(err, &e) || e.Column != column {
			t.Errorf("%q: %v, want an error at column %d", s, err, column)
		}
	}
}

func TestParseOut(t *testing.T) {
	i, path, err := ParseOut("2=a=b.npy")
	if i != 2 || path != "a=b.npy" || err != nil {
		t.Errorf("got %d %q %v", i, path, err)
	}
	for _, s := range []string{"", "x", "=y", "-1=y", "1=", "99999999999=y", "1"} {
		var e *Error
		if _, _, err := ParseOut(s); !errors.As(err, &e) {
			t.Errorf("%q: %v", s, err)
		}
	}
}

// TestHelp: every form and type that Parse names in its errors is explained.
func TestHelp(t *testing.T) {
	for _, word := range append(strings.Fields(typeNames()), "bytes:HEX", "buf:", "in:", "zero:", "iota:", "fill:", "rand:", "local:", "null", "pipe:NAME", "SplitMix64") {
		if !strings.Contains(Help(), word) {
			t.Errorf("the help text does not mention %s", word)
		}
	}
	for line := range strings.Lines(Help()) {
		if len([]rune(line)) > 81 {
			t.Errorf("long line: %s", line)
		}
	}
}

// FuzzParse: no text may panic or take more memory than the limit, and what is accepted
// prints to text that means the same.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"i32:1,-2*3", "f16:0.1,nan(0x7c01)", "buf:u8:1,f64:2", "bytes:00ff", "zero:i8:1k", "iota:f32:4:1:2", "rand:f16:9:1:-1:2", "local:4", "null", "in:x:f32", "pipe:1:1", "pipe:f32x2:3:iota:f32:8", "pipe:2:3:in:x:u8", "pipe:a.b-c", "buffer:a", "pipe:4:1k:in:x", "resource:16:4:zero:u8:64", "resource:0:4g:in:x", "image:3x2:rgba:unorm8", "image:3x2@64+4:bgra:u8:iota:u8:24", "image:x.png", "image:2x1:srgb:unorm8:in:x", "image3d:2x1x2/2:r:u8", "image1d:8:r:u8:in:x", "image1d_array:4x2:r:u8:in:x", "sampler:linear,repeat,normalized", "f64:1e-999,0x1p-1074"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, spec string) {
		const limit = 1 << 16
		a, err := Parse(spec, &Options{Open: OpenFS(fstest.MapFS{"x": {Data: []byte("abcdefgh")}}), MaxBytes: limit, SharedBuffers: true})
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.Column < 1 || e.Column > len(spec)+1 {
				t.Fatalf("error without a place in the text: %v", err)
			}
			return
		}
		if len(a.Data) > limit+8 {
			t.Fatalf("%d bytes", len(a.Data))
		}
		if a.Shared != "" {
			if a.Kind != Buffer || a.Data != nil || !IsName(a.Shared) {
				t.Fatalf("%+v", a)
			}
			return
		}
		if a.Kind == Pipe {
			checkPipe(t, a, limit)
		}
		if a.Kind == Pipe && a.Count == 0 {
			return
		}
		if a.Kind == Local || a.Kind == Null || a.Kind == Sampler {
			return
		}
		if len(a.Data) != a.Count*a.Type.Size() {
			t.Fatalf("%d bytes for %d elements of %v", len(a.Data), a.Count, a.Type)
		}
		again, err := Parse("buf:"+a.Type.String()+":"+string(AppendList(nil, a.Type, a.Data)), nil)
		if err != nil || !bytes.Equal(again.Data, a.Data) {
			t.Fatalf("round trip: %v", err)
		}
	})
}
