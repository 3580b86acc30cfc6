package spirv

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// modules gives the binaries of testdata by name.
func modules(t testing.TB) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.spv")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no modules in testdata (%v)", err)
	}
	out := map[string][]byte{}
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.Base(p)] = data
	}
	return out
}

// swapped is the same module in the other byte order.
func swapped(data []byte) []byte {
	out := bytes.Clone(data)
	for i := 0; i+4 <= len(out); i += 4 {
		binary.BigEndian.PutUint32(out[i:], binary.LittleEndian.Uint32(data[i:]))
	}
	return out
}

// module assembles little-endian bytes of a header and the given instruction words.
func module(words ...uint32) []byte {
	var out []byte
	for _, w := range append([]uint32{Magic, uint32(Version10), 0, 100, 0}, words...) {
		out = binary.LittleEndian.AppendUint32(out, w)
	}
	return out
}

func TestRoundTrip(t *testing.T) {
	for name, little := range modules(t) {
		for _, data := range [][]byte{little, swapped(little)} {
			m, err := Decode(data)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if !bytes.Equal(m.Encode(), data) {
				t.Errorf("%s (%v): encoding does not give the bytes back", name, m.ByteOrder)
			}
			if last := m.Insts[len(m.Insts)-1]; 4*(last.Offset+len(last.Words)) != len(data) {
				t.Errorf("%s: offset %d of the last instruction does not lead to the end", name, last.Offset)
			}
		}
	}
}

func TestParseCoversEveryWord(t *testing.T) {
	for name, data := range modules(t) {
		m, err := Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		p := NewParser(m)
		var ops []ParsedOperand
		for _, in := range m.Insts {
			if ops, err = p.Parse(ops[:0], in); err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			got := in.Words[:1:1]
			for _, o := range ops {
				got = append(got, o.Words...)
			}
			if len(got) != len(in.Words) {
				t.Errorf("%s: %s at %d: operands hold %d words of %d", name, in.Op(), in.Offset, len(got), len(in.Words))
			}
		}
	}
}

func TestDecodeErrors(t *testing.T) {
	for _, tc := range []struct {
		name   string
		data   []byte
		offset int
		want   string
	}{
		{"empty", nil, 0, "magic number"},
		{"text", []byte("; SPIR-V\n"), 0, "magic number"},
		{"odd size", append(module(), 1), 5, "multiple of 4"},
		{"short header", module()[:16], 4, "header has 5 words"},
		{"version 0.9", func() []byte { d := module(); d[6] = 0; d[5] = 9; return d }(), 1, "version word"},
		{"version 1.7", func() []byte { d := module(); d[5] = 7; return d }(), 1, "version word"},
		{"version low byte", func() []byte { d := module(); d[4] = 7; return d }(), 1, "version word"},
		{"word count 0", module(1<<16, 0), 6, "word count 0"},
		{"past the end", module(2<<16 | 17), 5, "word count 2"},
		{"too few operands", module(2<<16|uint32(OpStore), 1), 5, "OpStore: word count 2, but its operands take 3"},
	} {
		_, err := Decode(tc.data)
		var de *DecodeError
		if !errors.As(err, &de) {
			t.Errorf("%s: error %v is no DecodeError", tc.name, err)
			continue
		}
		if de.Offset != tc.offset || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: got %v, want word %d and %q", tc.name, err, tc.offset, tc.want)
		}
	}
}

func TestUnknownOpcodeIsKept(t *testing.T) {
	data := module(3<<16|0xfff0, 7, 8)
	m, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	in := m.Insts[0]
	if in.Op().Known() || in.ResultID() != 0 || len(in.Operands()) != 2 || !bytes.Equal(m.Encode(), data) {
		t.Errorf("unknown instruction read as %v, operands %v", in.Op(), in.Operands())
	}
	if _, err := NewParser(m).Parse(nil, in); err == nil || !strings.Contains(err.Error(), "OpUnknown(65520)") {
		t.Errorf("parsing an unknown opcode: %v", err)
	}
}

func TestHostileBoundCostsNothing(t *testing.T) {
	data := module(2<<16|uint32(OpTypeVoid), 0xfffffffe)
	binary.LittleEndian.PutUint32(data[12:], 0xffffffff)
	m, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	allocated := testing.AllocsPerRun(1, func() {
		x := m.Index()
		if x.At(0xfffffffe) != 0 || x.At(5) != -1 {
			t.Error("index does not find the id")
		}
		if x.dense != nil {
			t.Errorf("dense index of %d rows for one id", len(x.dense))
		}
	})
	if allocated > 10 {
		t.Errorf("%v allocations", allocated)
	}
}

func TestStrings(t *testing.T) {
	for _, s := range []string{"", "a", "abc", "abcd", "abcde", "héllo", "\xff\x80"} {
		words := AppendString(nil, s)
		if len(words) != len(s)/4+1 {
			t.Errorf("%q takes %d words", s, len(words))
		}
		got, n, ok := DecodeString(append(words, 0x11111111))
		if got != s || n != len(words) || !ok {
			t.Errorf("%q came back as %q, %d words, %v", s, got, n, ok)
		}
	}
	if _, _, ok := DecodeString([]uint32{0x61616161}); ok {
		t.Error("a string without an end was taken")
	}
	if w := AppendString(nil, "ab\x00cd"); len(w) != 1 {
		t.Errorf("text after a zero byte was kept: %x", w)
	}
}

func TestNewInst(t *testing.T) {
	in, err := NewInst(OpStore, 1, 2)
	if err != nil || in.Words[0] != 3<<16|uint32(OpStore) || in.Operand(1) != 2 {
		t.Errorf("%x, %v", in.Words, err)
	}
	if _, err := NewInst(OpTypeStruct, make([]uint32, MaxInstWords)...); err == nil {
		t.Error("an instruction of 65536 words was made")
	}
}

func FuzzDecode(f *testing.F) {
	for _, data := range modules(f) {
		f.Add(data)
		f.Add(swapped(data))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Decode(data)
		if err != nil {
			return
		}
		if !bytes.Equal(m.Encode(), data) {
			t.Fatal("encoding does not give the bytes back")
		}
		p := NewParser(m)
		for _, in := range m.Insts {
			ops, err := p.Parse(nil, in)
			if err != nil {
				continue
			}
			n := 1
			for _, o := range ops {
				n += len(o.Words)
			}
			if n != len(in.Words) {
				t.Fatalf("%s at %d: operands hold %d words of %d", in.Op(), in.Offset, n, len(in.Words))
			}
		}
	})
}
