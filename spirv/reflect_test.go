package spirv

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestReflectGolden compares the reflection of every module in testdata with its golden file.
func TestReflectGolden(t *testing.T) {
	for name, data := range modules(t) {
		m, err := Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		info, err := Reflect(m)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got, err := json.MarshalIndent(info, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, '\n')
		path := "testdata/" + strings.TrimSuffix(name, ".spv") + ".reflect.json"
		if *update {
			if err := os.WriteFile(path, got, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s: reflection differs from %s; run the test with -update and read the difference", name, path)
		}
	}
}

func reflectFile(t *testing.T, name string) *Info {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	m, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	info, err := Reflect(m)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

func TestReflectKernelArguments(t *testing.T) {
	want := []struct {
		name, typ string
		kind      ArgKind
		space     StorageClass
		size      uint64
		constant  bool
	}{
		{"a", "uint*", ArgBuffer, StorageClassCrossWorkgroup, 8, true},
		{"b", "uint*", ArgBuffer, StorageClassCrossWorkgroup, 8, true},
		{"c", "uint*", ArgBuffer, StorageClassCrossWorkgroup, 8, false},
		{"n", "uint", ArgValue, StorageClassFunction, 4, false},
		{"k", "float4*", ArgBuffer, StorageClassUniformConstant, 8, true},
		{"tmp", "ushort*", ArgLocal, StorageClassWorkgroup, 8, false},
	}
	e := reflectFile(t, "vecadd.O2.spv").EntryPoints[0]
	if e.Name != "vecadd" || e.Body == e.ID || len(e.Args) != len(want) {
		t.Fatalf("entry point %q, body %d of %d, %d arguments", e.Name, e.Body, e.ID, len(e.Args))
	}
	for i, w := range want {
		a := e.Args[i]
		if a.Name != w.name || a.TypeName != w.typ || a.Kind != w.kind || a.AddressSpace != w.space || a.Size != w.size || a.Const != w.constant {
			t.Errorf("argument %d is %+v, want %+v", i, a, w)
		}
	}
	if !e.Args[0].Restrict || e.Args[1].Restrict {
		t.Error("restrict is not where the source has it")
	}
}

func TestReflectAttributes(t *testing.T) {
	info := reflectFile(t, "attributes.O2.spv")
	byName := map[string]EntryPoint{}
	for _, e := range info.EntryPoints {
		byName[e.Name] = e
	}
	fixed, images, caller := byName["fixed_size"], byName["images"], byName["caller"]
	if fixed.LocalSize != [3]uint32{8, 4, 2} || fixed.VecTypeHint != "float4" {
		t.Errorf("fixed_size: %v %q", fixed.LocalSize, fixed.VecTypeHint)
	}
	if p := fixed.Args[1]; !p.ByVal || p.Size != 48 || p.Alignment != 16 || p.TypeName != "Params" || p.Kind != ArgValue {
		t.Errorf("structure by value: %+v", p)
	}
	if images.LocalSizeHint != [3]uint32{16, 1, 1} {
		t.Errorf("images: %v", images.LocalSizeHint)
	}
	if a := images.Args; a[0].Access != AccessQualifierReadOnly || a[1].Access != AccessQualifierWriteOnly ||
		a[1].TypeName != "image2d_t" || a[2].Kind != ArgSampler || !a[3].Volatile || a[3].TypeName != "uint*" {
		t.Errorf("images: %+v", a)
	}
	if caller.SubgroupSize != 16 || caller.Args[2].TypeName != "long" {
		t.Errorf("caller: sub-group size %d, %+v", caller.SubgroupSize, caller.Args[2])
	}
}

func TestReflectSpec(t *testing.T) {
	info := reflectFile(t, "spec.spv")
	e, again := info.EntryPoints[0], info.EntryPoints[1]
	if e.LocalSize != [3]uint32{64, 2, 1} || e.LocalSizeHint != [3]uint32{2, 2, 2} || e.SubgroupSize != 8 {
		t.Errorf("sizes %v %v %d", e.LocalSize, e.LocalSizeHint, e.SubgroupSize)
	}
	if a := e.Args[0]; a.Name != "data" || a.Alignment != 16 || !a.Restrict || !a.Const || a.TypeName != "uchar*" {
		t.Errorf("argument behind the wrapper: %+v", a)
	}
	// uint at 0, uchar[2] at 4, packed {uchar, uint} at 6 to 11, ulong at 16.
	if a := e.Args[1]; a.Size != 24 || !a.ByVal || a.Kind != ArgValue || a.TypeName != "struct pair" {
		t.Errorf("structure behind the wrapper: %+v", a)
	}
	if again.Name != "scale.again" || again.Args[0].Const || again.LocalSize != e.LocalSize {
		t.Errorf("second entry point of the function: %+v", again)
	}
	if n := len(info.SpecConstants); n != 4 {
		t.Fatalf("%d specialization constants", n)
	}
	for i, w := range []struct {
		spec  uint32
		typ   string
		words []uint32
	}{{7, "uint", []uint32{64}}, {3, "ulong", []uint32{0x73ce2ff2, 0xb3a}}, {4, "uchar", []uint32{200}}, {5, "bool", []uint32{1}}} {
		c := info.SpecConstants[i]
		if c.SpecID != w.spec || c.TypeName != w.typ || len(c.Default) != len(w.words) || c.Default[0] != w.words[0] {
			t.Errorf("specialization constant %d: %+v, want %+v", i, c, w)
		}
	}
	if len(info.Imports) != 1 || info.Imports[0].Name != "helper" || len(info.Exports) != 1 || info.Exports[0].Type != LinkageTypeLinkOnceODR {
		t.Errorf("imports %+v, exports %+v", info.Imports, info.Exports)
	}
	if info.Source.File != "scale.cl" || info.Source.Language != SourceLanguageOpenCL_C || info.Source.Version != 300000 {
		t.Errorf("source %+v", info.Source)
	}
}

func TestReflectEntryPointWithoutFunction(t *testing.T) {
	words := append([]uint32{0, uint32(ExecutionModelKernel), 9}, AppendString(nil, "lost")...)
	words[0] = uint32(len(words))<<16 | uint32(OpEntryPoint)
	m, err := Decode(module(words...))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Reflect(m); err == nil || !strings.Contains(err.Error(), `"lost"`) {
		t.Errorf("error is %v", err)
	}
}

func TestVecTypeHint(t *testing.T) {
	for v, want := range map[uint32]string{0: "char", 0x10003: "long", 0x40005: "float4", 0x100006: "double16", 9: "0x9"} {
		if got := vecTypeHint(v); got != want {
			t.Errorf("%#x reads %s, want %s", v, got, want)
		}
	}
}

func FuzzReflect(f *testing.F) {
	for _, data := range modules(f) {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Decode(data)
		if err != nil {
			return
		}
		info, err := Reflect(m)
		if err == nil && info == nil {
			t.Fatal("neither information nor an error")
		}
	})
}
