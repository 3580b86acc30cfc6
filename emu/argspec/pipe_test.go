package argspec

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"testing/iotest"
)

// checkPipe looks at a pipe that was parsed: what holds for every one of them.
func checkPipe(t *testing.T, a *Arg, limit int) {
	t.Helper()
	p := a.Pipe
	if p.Name != "" {
		if !IsName(p.Name) || p.PacketBytes != 0 || p.Capacity != 0 || a.Data != nil || p.Rest != nil {
			t.Fatalf("a pipe that is meant by its name: %+v", p)
		}
		return
	}
	size := uint64(p.PacketBytes)
	if size == 0 || p.Capacity == 0 || size*uint64(p.Capacity) > uint64(limit) || uint64(len(a.Data)) > size*uint64(p.Capacity) || len(a.Data)%int(size) != 0 {
		t.Fatalf("%d bytes in a pipe of %d packets of %d", len(a.Data), p.Capacity, size)
	}
	if p.Rest != nil {
		if uint64(len(a.Data)) != size*uint64(p.Capacity) {
			t.Fatal("packets are to follow, and the pipe is not full")
		}
		// A file may end within a packet, which is known when it ends only.
		rest, err := io.ReadAll(p.Rest)
		if err == nil && (len(rest) == 0 || len(rest)%int(size) != 0) {
			t.Fatalf("%d bytes follow", len(rest))
		}
		if err := p.Rest.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestParsePipe(t *testing.T) {
	opts := &Options{Open: OpenFS(files(t))}
	for _, tc := range []struct {
		spec           string
		bytes, packets uint32
		typ            Type
		data, rest     string // hexadecimal
	}{
		{"pipe:4:16", 4, 16, U32, "", ""},
		{"pipe: 2 : 1k ", 2, 1024, U16, "", ""},
		{"pipe:8:1", 8, 1, U64, "", ""},
		{"pipe:3:5", 3, 5, U8, "", ""},
		{"pipe:1:5", 1, 5, U8, "", ""},
		{"pipe:f32:4", 4, 4, F32, "", ""},
		{"pipe:f32x4:4", 16, 4, F32, "", ""},
		{"pipe:u8x3:2", 3, 2, U8, "", ""},
		{"pipe:1048576:1", 1 << 20, 1, U8, "", ""},
		{"pipe:4:2:buf:i32:1,-1", 4, 2, I32, "01000000 ffffffff", ""},
		{"pipe:4:3:buf:i32:1", 4, 3, I32, "01000000", ""},
		{"pipe:4:1:buf:i32:1,2,3", 4, 1, I32, "01000000", "02000000 03000000"},
		{"pipe:f32:4:zero:i32:1", 4, 4, F32, "00000000", ""},
		{"pipe:3:4:iota:u16:6", 3, 4, U8, "000001 000200 030004 000500", ""},
		{"pipe:2:8:in:raw.bin", 2, 8, U16, "0102030405060708", ""},
		{"pipe:2:4:in:raw.bin", 2, 4, U16, "0102030405060708", ""},
		{"pipe:2:3:in:raw.bin:i8", 2, 3, I8, "010203040506", "0708"},
		{"pipe:4:1:in:raw.bin:f16", 4, 1, F16, "01020304", "05060708"},
		{"pipe:8:2:in:empty.bin", 8, 2, U64, "", ""},
		{"pipe:2:1:in:v.npy", 2, 1, I16, "0100", "0200"},
		{"pipe:1:2:in:a:f32.bin", 1, 2, U8, "09", ""},
		{"pipe:2:2:in:raw.bin:u8", 2, 2, U8, "01020304", "05060708"},
	} {
		a, err := Parse(tc.spec, opts)
		if err != nil {
			t.Errorf("%s: %v", tc.spec, err)
			continue
		}
		p := a.Pipe
		rest := ""
		if p.Rest != nil {
			b, err := io.ReadAll(iotest.OneByteReader(p.Rest))
			if err != nil || p.Rest.Close() != nil {
				t.Errorf("%s: %v", tc.spec, err)
			}
			rest = hex.EncodeToString(b)
		}
		untyped := []string{"pipe:4:16", "pipe: 2 : 1k ", "pipe:8:1", "pipe:3:5", "pipe:1:5", "pipe:1048576:1", "pipe:3:4:iota:u16:6", "pipe:2:8:in:raw.bin", "pipe:2:4:in:raw.bin", "pipe:8:2:in:empty.bin", "pipe:1:2:in:a:f32.bin"}
		typed := !slices.Contains(untyped, tc.spec)
		plain := func(s string) string { return strings.ReplaceAll(s, " ", "") }
		if a.Kind != Pipe || p.Name != "" || p.PacketBytes != tc.bytes || p.Capacity != tc.packets || a.Type != tc.typ || p.Typed != typed ||
			hex.EncodeToString(a.Data) != plain(tc.data) || rest != plain(tc.rest) || (p.Rest != nil) != (tc.rest != "") || a.Count != len(a.Data)/a.Type.Size() {
			t.Errorf("%s: %+v, %+v, rest %s", tc.spec, a, p, rest)
		}
	}
	for _, name := range []string{"a", "_", "A1.b-2", "x4", "null", "in"} {
		a, err := Parse("pipe:"+name, opts)
		if err != nil || a.Kind != Pipe || a.Pipe.Name != name {
			t.Errorf("pipe %s: %+v, %v", name, a, err)
		}
		got, a, err := ParsePipe(name+"=u16:3:in:raw.bin", opts)
		if err != nil || got != name || a.Pipe.PacketBytes != 2 || len(a.Data) != 6 || a.Pipe.Rest == nil || a.Pipe.Name != "" {
			t.Errorf("-pipe %s: %q, %+v, %v", name, got, a, err)
		}
	}
	for s, column := range map[string]int{
		"": 1, "a": 2, "=4:1": 1, "1a=4:1": 1, "a b=4:1": 2, "f32=4:1": 1, "f32x2=4:1": 1, "a=": 3, "a=4": 4, "a=x:1": 3, "a=4:0": 5, "a=4:1:null": 7, "a=4:1:zero:u8:3": 7,
		"a=4:1:in:missing.bin": 10,
	} {
		_, _, err := ParsePipe(s, opts)
		var e *Error
		if !errors.As(err, &e) || e.Column != column {
			t.Errorf("-pipe %q: %v, want an error at column %d", s, err, column)
		}
	}
}

// closer counts how often it is closed.
type closer struct {
	io.Reader
	closed int
}

func (c *closer) Close() error {
	c.closed++
	return nil
}

// TestPipeStreams: a file that ends within a packet, or that cannot be read,
// says so where that is noticed, and is closed once.
func TestPipeStreams(t *testing.T) {
	broken := errors.New("the disk is on fire")
	for _, tc := range []struct {
		name, spec string
		r          io.Reader
		parse      string // the error of Parse
		rest       string // the error of Rest
	}{
		{"whole", "pipe:4:1:in:f", strings.NewReader("abcdefgh"), "", ""},
		{"fits", "pipe:4:2:in:f", strings.NewReader("abcdefgh"), "", ""},
		{"slow", "pipe:4:1:in:f", iotest.OneByteReader(strings.NewReader("abcdefgh")), "", ""},
		{"torn", "pipe:4:2:in:f", strings.NewReader("abcdef"), "f ends within a packet: its 6 bytes are no multiple of 4", ""},
		{"torn at standard input", "pipe:4:2:in:-", strings.NewReader("abcdef"), "standard input ends within a packet: its 6 bytes are no multiple of 4", ""},
		{"torn later", "pipe:4:1:in:f", strings.NewReader("abcdef"), "", "f ends within a packet: its 6 bytes are no multiple of 4"},
		{"broken", "pipe:4:2:in:f", io.MultiReader(strings.NewReader("abcd"), iotest.ErrReader(broken)), "f: the disk is on fire", ""},
		{"broken at the end", "pipe:4:1:in:f", io.MultiReader(strings.NewReader("abcd"), iotest.ErrReader(broken)), "f: the disk is on fire", ""},
		{"broken later", "pipe:4:1:in:f", io.MultiReader(strings.NewReader("abcdefgh"), iotest.ErrReader(broken)), "", "f: the disk is on fire"},
	} {
		f := &closer{Reader: tc.r}
		a, err := Parse(tc.spec, &Options{Open: func(string) (io.ReadCloser, error) { return f, nil }})
		if tc.parse != "" {
			var e *Error
			if !errors.As(err, &e) || e.Msg != tc.parse || e.Column != 13 || f.closed != 1 {
				t.Errorf("%s: %v, closed %d times", tc.name, err, f.closed)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		all := a.Data
		if a.Pipe.Rest != nil {
			if f.closed != 0 {
				t.Errorf("%s: closed before it is read", tc.name)
			}
			rest, err := io.ReadAll(a.Pipe.Rest)
			if (err == nil) != (tc.rest == "") || err != nil && err.Error() != tc.rest {
				t.Errorf("%s: %v, want %q", tc.name, err, tc.rest)
			}
			all = append(all, rest...)
			if err := a.Pipe.Rest.Close(); err != nil {
				t.Error(err)
			}
		}
		if f.closed != 1 || tc.rest == "" && !bytes.Equal(all, []byte("abcdefgh")) {
			t.Errorf("%s: read %q, closed %d times", tc.name, all, f.closed)
		}
	}
}

// TestPipeMemory: a large capacity costs nothing until there are packets.
func TestPipeMemory(t *testing.T) {
	opts := &Options{Open: OpenFS(fstest.MapFS{"x": {Data: []byte("abcd")}}), MaxBytes: 1 << 40}
	a, err := Parse("pipe:4:2147483647:in:x", opts)
	if err != nil || len(a.Data) != 4 || cap(a.Data) > 1<<16 {
		t.Errorf("%+v, %v", a, err)
	}
	if _, err := Parse("pipe:4:1:in:y", opts); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
}

func TestParseNamedOut(t *testing.T) {
	name, path, ok, err := ParseNamedOut("a.b=x=y.npy")
	if name != "a.b" || path != "x=y.npy" || !ok || err != nil {
		t.Errorf("got %q %q %v %v", name, path, ok, err)
	}
	for _, s := range []string{"", "a", "2=-", "=x", "a b=x", "f32=x"} {
		if _, _, ok, err := ParseNamedOut(s); ok || err != nil {
			t.Errorf("%q: %v, %v", s, ok, err)
		}
	}
	var e *Error
	if _, _, ok, err := ParseNamedOut("a="); !ok || !errors.As(err, &e) || e.Column != 3 {
		t.Errorf("no file name: %v, %v", ok, err)
	}
}

func TestParseBuffer(t *testing.T) {
	opts := &Options{Open: OpenFS(files(t)), SharedBuffers: true}
	name, a, err := ParseBuffer("c.1=buf:i16:1,-1", opts)
	if err != nil || name != "c.1" || a.Kind != Buffer || a.Type != I16 || a.Count != 2 || a.Shared != "" {
		t.Errorf("%q, %+v, %v", name, a, err)
	}
	for s, column := range map[string]int{"": 1, "a": 2, "=zero:u8:1": 1, "1=zero:u8:1": 1, "u8=zero:u8:1": 1, "a=": 3, "a=i32:1": 3, "a=null": 3, "a=zero:u8:0": 11, "a=in:missing.bin": 6, "a=buffer:b": 3} {
		_, _, err := ParseBuffer(s, opts)
		var e *Error
		if !errors.As(err, &e) || e.Column != column {
			t.Errorf("-buffer %q: %v, want an error at column %d", s, err, column)
		}
	}
	name, a, err = ParseBuffer("s=at:0x7f00:ro:zero:u8:3", opts)
	if err != nil || name != "s" || a.Address != 0x7f00 || !a.ReadOnly || a.Count != 3 {
		t.Errorf("%q, %+v, %v", name, a, err)
	}
	for s, column := range map[string]int{"a=at:": 6, "a=at:0:zero:u8:1": 6, "a=at:x:zero:u8:1": 6, "a=at:8": 7, "a=at:8:null": 8} {
		_, _, err := ParseBuffer(s, opts)
		var e *Error
		if !errors.As(err, &e) || e.Column != column {
			t.Errorf("-buffer %q: %v, want an error at column %d", s, err, column)
		}
	}
	if a, err := Parse("buffer:c+0x40", opts); err != nil || a.Shared != "c" || a.Offset != 64 {
		t.Errorf("%+v, %v", a, err)
	}
	if a, err := Parse("buffer:c", opts); err != nil || a.Kind != Buffer || a.Shared != "c" || a.Data != nil {
		t.Errorf("%+v, %v", a, err)
	}
	for s, column := range map[string]int{"buffer:": 8, "buffer:1": 8, "buffer:a b": 9, "buffer:f32": 8, "buffer:c+": 10, "buffer:c+-1": 10, "buffer:+1": 8} {
		_, err := Parse(s, opts)
		var e *Error
		if !errors.As(err, &e) || e.Column != column {
			t.Errorf("%q: %v, want an error at column %d", s, err, column)
		}
	}
	if _, err := Parse("buffer:c", nil); err == nil {
		t.Error("a shared buffer where there is none")
	}
}
