package binary

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// filler gives each field below a value another number, none of them zero.
type filler struct{ n uint64 }

func (f *filler) fill(v reflect.Value) {
	f.n++
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Uint8, reflect.Int8:
		f.set(v, f.n%127+1)
	case reflect.Uint, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Int, reflect.Int16, reflect.Int32, reflect.Int64:
		f.set(v, f.n*31%30000+1)
	case reflect.String:
		v.SetString(fmt.Sprintf("string %d", f.n))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		f.elements(v)
	case reflect.Array:
		f.elements(v)
	case reflect.Struct:
		for i := range v.NumField() {
			f.fill(v.Field(i))
		}
	case reflect.Interface:
		v.Set(reflect.ValueOf(Reason(fmt.Sprintf("reason %d", f.n))))
	default:
		panic("no value for " + v.Type().String())
	}
}

func (f *filler) set(v reflect.Value, n uint64) {
	if v.CanInt() {
		// Every other one is negative.
		if n%2 == 0 {
			v.SetInt(-int64(n))
		} else {
			v.SetInt(int64(n))
		}
		return
	}
	v.SetUint(n)
}

func (f *filler) elements(v reflect.Value) {
	for i := range v.Len() {
		f.fill(v.Index(i))
	}
}

// zeroField names a field below v that is zero, or "".
func zeroField(v reflect.Value, path string) string {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return path
		}
		return zeroField(v.Elem(), path)
	case reflect.Slice, reflect.Array:
		if v.Len() == 0 {
			return path
		}
		for i := range v.Len() {
			if z := zeroField(v.Index(i), fmt.Sprintf("%s[%d]", path, i)); z != "" {
				return z
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if z := zeroField(v.Field(i), path+"."+v.Type().Field(i).Name); z != "" {
				return z
			}
		}
	default:
		if v.IsZero() {
			return path
		}
	}
	return ""
}

// TestEveryField holds that no field of a table can be forgotten: all of them,
// at any depth, are filled, go through the bytes, and must come out again. That
// such a program is nonsense is why the parts that check it are left out.
func TestEveryField(t *testing.T) {
	want := &File{}
	(&filler{}).fill(reflect.ValueOf(want).Elem())
	if z := zeroField(reflect.ValueOf(want), "File"); z != "" {
		t.Fatalf("%s was not filled", z)
	}
	w := newWriter()
	planOf(reflect.TypeFor[File]()).write(w, reflect.ValueOf(want).Elem())
	body := w.out
	table := w.table()
	r := &reader{data: table, end: len(table)}
	r.table()
	r.data, r.pos, r.end = body, 0, len(body)
	got := &File{}
	planOf(reflect.TypeFor[File]()).read(r, reflect.ValueOf(got).Elem())
	if r.err != nil {
		t.Fatal(r.err)
	}
	if r.pos != r.end {
		t.Errorf("%d bytes are left over", r.end-r.pos)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("what came out is not what went in:\n%s", cmp.Diff(want, got))
	}
}

// TestCorpus holds that real programs come out as they went in, as the same bytes
// each time, and with the text that they had.
func TestCorpus(t *testing.T) {
	glob := "*.O2.spv"
	if testing.Short() {
		glob = "s*.O2.spv"
	}
	for _, c := range corpus(t, glob) {
		t.Run(c.name, func(t *testing.T) {
			data, err := Encode(c.file)
			if err != nil {
				t.Fatal(err)
			}
			if again, err := Encode(c.file); err != nil || !bytes.Equal(again, data) {
				t.Errorf("other bytes at the second time (%v)", err)
			}
			got, err := Decode(data)
			if err != nil {
				t.Fatal(err)
			}
			reasons := cmp.Transformer("reason", func(err error) string { return err.Error() })
			if diff := cmp.Diff(c.file, got, cmpopts.EquateEmpty(), reasons); diff != "" {
				t.Errorf("what came out is not what went in:\n%s", diff)
			}
			if again, err := Encode(got); err != nil || !bytes.Equal(again, data) {
				t.Errorf("other bytes from what came out (%v)", err)
			}
			var before, after strings.Builder
			if err := c.file.Program.WriteText(&before); err != nil {
				t.Fatal(err)
			}
			if err := got.Program.WriteText(&after); err != nil {
				t.Fatal(err)
			}
			if before.String() != after.String() {
				t.Error("the text of the program changed")
			}
		})
	}
}

// small is a program of one kernel that does nothing.
func small() *File {
	return &File{
		Target: Target{Name: "test", SubgroupSize: 8, MaxWorkGroupSize: 64, LocalMemory: 4096},
		Program: &isa.Program{
			Files:     []string{"", "a.cl"},
			Functions: []string{"", "helper"},
			Kernels: []*isa.Kernel{{
				Name:   "nothing",
				Code:   []isa.Inst{{Op: isa.OpRet, Loc: 1}},
				Blocks: []isa.Block{{End: 1, Name: "entry"}},
				Locs:   []isa.Loc{{}, {Word: 20, File: 1, Line: 3, Column: 7}, {Word: 22, File: 1, Line: 9, Column: 2, Func: 1, At: 1}},
			}},
			Refused: []isa.Refused{{Name: "other", Reason: Reason("too much")}},
		},
		Info:  &spirv.Info{Version: spirv.Version10, Source: spirv.Source{Language: spirv.SourceLanguageOpenCL_C, Version: 200000, File: "a.cl"}},
		Notes: []Note{{"zebra", []byte{1}}, {"ant", []byte("x")}},
	}
}

func encoded(t testing.TB, f *File) []byte {
	t.Helper()
	data, err := Encode(f)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestNotes(t *testing.T) {
	f := small()
	got, err := Decode(encoded(t, f))
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Notes) != 2 || got.Notes[0].Name != "ant" || f.Notes[0].Name != "zebra" {
		t.Errorf("the notes are %v, and those that were given now %v", got.Notes, f.Notes)
	}
	if data, ok := got.Note("ant"); !ok || string(data) != "x" {
		t.Errorf("the note ant is %q, %v", data, ok)
	}
	if _, ok := got.Note("bee"); ok {
		t.Error("there is a note that nobody wrote")
	}
}

func TestEncodeRefuses(t *testing.T) {
	twice := small()
	twice.Notes[1].Name = "zebra"
	broken := small()
	broken.Program.Kernels[0].Code[0].Op = isa.OpInvalid
	for name, f := range map[string]*File{
		"nothing":    nil,
		"no program": {},
		"two notes":  twice,
	} {
		if _, err := Encode(f); !errors.Is(err, ErrUnencodable) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Decode(encoded(t, broken)); !errors.Is(err, isa.ErrMalformed) {
		t.Errorf("broken: %v", err)
	}
}

// TestNumbers holds the numbers at the ends of their ranges.
func TestNumbers(t *testing.T) {
	in := isa.Inst{
		Op: isa.NumOps - 1, Type: isa.F64, Flags: 255, Dst: isa.Reg(math.MaxInt32), A: isa.Reg(math.MinInt32), B: -1,
		Scale: math.MaxUint32, Disp: math.MinInt32, Imm: math.MaxUint32, Loc: math.MaxUint32,
	}
	w := newWriter()
	w.inst(&in)
	r := &reader{data: w.out, end: len(w.out)}
	var got isa.Inst
	if r.inst(&got); r.err != nil || got != in {
		t.Errorf("%+v became %+v (%v)", in, got, r.err)
	}
	locs := []isa.Loc{{}, {Word: math.MaxUint32, Line: math.MaxUint32, File: math.MaxUint32}, {Word: 1, Line: 1, Column: math.MaxUint32}, {}, {Func: math.MaxUint32, At: math.MaxUint32}, {}}
	w = newWriter()
	planOf(reflect.TypeFor[[]isa.Loc]()).write(w, reflect.ValueOf(locs))
	r = &reader{data: w.out, end: len(w.out)}
	var back []isa.Loc
	planOf(reflect.TypeFor[[]isa.Loc]()).read(r, reflect.ValueOf(&back).Elem())
	if r.err != nil || !reflect.DeepEqual(locs, back) {
		t.Errorf("%v became %v (%v)", locs, back, r.err)
	}
}

// TestNoPlan holds that a field which no binary can hold is noticed by the
// first test that runs, and not lost.
func TestNoPlan(t *testing.T) {
	type loop struct{ Next *loop }
	for name, typ := range map[string]reflect.Type{
		"a map":            reflect.TypeFor[struct{ M map[string]int }](),
		"a hidden field":   reflect.TypeFor[struct{ hidden int }](),
		"a float":          reflect.TypeFor[struct{ F float64 }](),
		"a type in itself": reflect.TypeFor[loop](),
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s has a plan", name)
				}
			}()
			planOf(typ)
		}()
	}
}
