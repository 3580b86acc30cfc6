package builtin

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/lang"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

var update = flag.Bool("update", false, "write the golden files")

func kindList(k kinds) string {
	var f []string
	t := types.NewTable(types.Config{AddressBits: 64})
	for i := types.CharKind; i <= types.DoubleKind; i++ {
		if k>>i&1 != 0 {
			f = append(f, t.Scalar(i).Name)
		}
	}
	return strings.Join(f, " ")
}

func laneList(n lanes) string {
	var f []string
	for i, x := range laneCounts {
		if n>>i&1 != 0 {
			f = append(f, fmt.Sprint(x))
		}
	}
	return strings.Join(f, " ")
}

func imageList(o *Over) string {
	var f []string
	t := types.NewTable(types.Config{AddressBits: 64})
	for i, im := range imageTypes {
		if o.Images>>i&1 != 0 {
			f = append(f, t.ImageType(im).Name)
		}
	}
	for a := types.ReadOnly; a <= types.ReadWrite; a++ {
		if o.Access>>a&1 != 0 {
			f = append(f, a.String())
		}
	}
	return strings.Join(f, " ")
}

// describe is a row in a line: names, pattern, types, address spaces, versions, extension, section, help.
func describe(d *Def) string {
	var f []string
	add := func(format string, args ...any) { f = append(f, fmt.Sprintf(format, args...)) }
	if d.Over.Of != 0 && d.Over.Images == 0 {
		add("T of %s x %s", kindList(d.Over.Of), laneList(d.Over.N))
		if d.Over.M != 0 {
			add("m of %s", laneList(d.Over.M))
		}
	}
	if d.Over.Images != 0 {
		add("T of images %s", imageList(&d.Over))
	}
	if d.Spaces != NoSpaces {
		add("spaces %d", d.Spaces)
	}
	add("kind %d: %d %d %d", d.Emit.Kind, d.Emit.Float, d.Emit.Signed, d.Emit.Unsigned)
	if d.Since != 0 {
		add("since %d", d.Since)
	}
	if d.Until != 0 {
		add("until %d", d.Until)
	}
	if d.Ext != "" {
		add("%s", d.Ext)
	}
	if d.Special {
		add("special")
	}
	if d.Refused != "" {
		add("refused: %s", d.Refused)
	}
	return fmt.Sprintf("%s | %s | %s | %s | %s", d.Name, d.Sig, strings.Join(f, ", "), d.Section, d.Help)
}

func TestGolden(t *testing.T) {
	var b strings.Builder
	for _, d := range All() {
		b.WriteString(describe(d) + "\n")
	}
	const file = "testdata/table.txt"
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		have, want := strings.Split(b.String(), "\n"), strings.Split(string(want), "\n")
		for i := range have {
			if i >= len(want) || have[i] != want[i] {
				t.Fatalf("%s differs in line %d (write it with -update):\n%s", file, i+1, have[i])
			}
		}
		t.Fatalf("%s has more lines than the table", file)
	}
}

// TestRows checks what rows must have.
func TestRows(t *testing.T) {
	for _, d := range All() {
		if d.Help == "" || !strings.HasSuffix(d.Help, ".") || strings.Contains(strings.TrimSuffix(d.Help, "."), ". ") {
			t.Errorf("%s: the help is one sentence: %q", d.Name, d.Help)
		}
		if d.Section == "" && d.Ext == "" {
			t.Errorf("%s is of no section and of no extension", d.Name)
		}
		for _, n := range d.Names() {
			if !Known(n) {
				t.Errorf("%s is not known", n)
			}
		}
	}
}

func table(v lang.Version) (*types.Table, *Table) {
	ty := types.NewTable(types.Config{AddressBits: 64})
	opts := lang.Default()
	opts.Version = v
	return ty, NewTable(ty, &opts)
}

func TestKnown(t *testing.T) {
	for name, want := range map[string]bool{
		"sin": true, "get_global_id": true, "convert_uchar4_sat_rte": true, "convert_float": true,
		"convert_float_sat": false,
		"convert_int5":      false, "convert_int4_": false, "convert_int_sat_rtx": false, "convert_bool": false,
		"as_float4": true, "as_size_t": true,
		"as_bool": false, "as_": false, "vload3": true, "vload5": false, "vstorea_half16_rtn": true,
		"read_pipe": true, "enqueue_kernel": true,
		"frobnicate": false, "": false, "convert_": false,
	} {
		if Known(name) != want {
			t.Errorf("Known(%q) is %t", name, !want)
		}
	}
}

func TestVersions(t *testing.T) {
	for _, c := range []struct {
		version lang.Version
		name    string
		lacks   string
	}{
		{lang.CL10, "ctz", "it needs OpenCL C 2.0"}, {lang.CL30, "ctz", ""}, {lang.CL11, "popcount",
			"it needs OpenCL C 1.2"},
		{lang.CL12, "atomic_load", "it needs OpenCL C 2.0"}, {lang.CL12, "atomic_add", ""},
	} {
		_, tab := table(c.version)
		if got := tab.Lacks(c.name); got != c.lacks || tab.Has(c.name) != (c.lacks == "") {
			t.Errorf("OpenCL C %d: Lacks(%s) is %q", c.version, c.name, got)
		}
	}
}

// TestExact finds overloads without making all of them.
func TestExact(t *testing.T) {
	ty, tab := table(lang.CL30)
	q := func(x *types.Type) types.Qual { return types.Qual{Type: x} }
	f4 := ty.Vector(ty.Float, 4)
	for _, c := range []struct {
		name string
		args []types.Qual
		want string
	}{
		{"sin", []types.Qual{q(ty.Float)}, "float sin(float)"},
		{"max", []types.Qual{q(f4), q(ty.Float)}, "float4 max(float4, float)"},
		{"max", []types.Qual{q(f4), q(ty.Int)}, "<nil>"},
		{"max", []types.Qual{q(f4)}, "<nil>"},
		{"ldexp", []types.Qual{q(f4), q(ty.Int)}, "float4 ldexp(float4, int)"},
		{"nan", []types.Qual{q(ty.Vector(ty.ULong, 8))}, "double8 nan(ulong8)"},
		{"convert_char4_sat", []types.Qual{q(f4)}, "char4 convert_char4_sat(float4)"},
		{"convert_char4_sat", []types.Qual{q(ty.Float)}, "<nil>"},
		{"vload4", []types.Qual{q(ty.ULong), q(ty.Pointer(q(ty.Float).In(types.Generic).With(types.Const)))},
			"float4 vload4(ulong, __generic const float *)"},
		{"vload4", []types.Qual{q(ty.ULong), q(ty.Pointer(q(ty.Float).In(types.Global).With(types.Const)))},
			"<nil>"},
		{"shuffle2", []types.Qual{q(ty.Vector(ty.Short, 2)), q(ty.Vector(ty.Short, 2)),
			q(ty.Vector(ty.UShort, 16))}, "short16 shuffle2(short2, short2, ushort16)"},
		{"barrier", []types.Qual{q(ty.UInt)}, "void barrier(uint)"},
		{"get_work_dim", nil, "uint get_work_dim(void)"},
		{"to_global", []types.Qual{q(ty.Pointer(q(ty.Float)))}, "<nil>"},
		{"nonesuch", nil, "<nil>"},
	} {
		got := "<nil>"
		s := tab.Exact(c.name, c.args)
		if s != nil {
			got = s.String()
		}
		if got != c.want {
			t.Errorf("Exact(%s, %v) is %s, not %s", c.name, c.args, got, c.want)
		}
		if tab.Exact(c.name, c.args) != s {
			t.Errorf("Exact(%s) is another one at the second call", c.name)
		}
		found := false
		for _, o := range tab.Overloads(c.name) {
			found = found || o == s
		}
		if s != nil && !found {
			t.Errorf("Overloads(%s) has not what Exact gave", c.name)
		}
		if tab.Exact(c.name, c.args) != s {
			t.Errorf("Exact(%s) is another one behind Overloads", c.name)
		}
	}
}

func TestSpecial(t *testing.T) {
	ty, tab := table(lang.CL30)
	q := func(x *types.Type) types.Qual { return types.Qual{Type: x} }
	ptr := func(x *types.Type, s types.Space) types.Qual { return q(ty.Pointer(q(x).In(s))) }
	in, out := q(ty.Pipe(q(ty.Int), types.ReadOnly)), q(ty.Pipe(q(ty.Int), types.WriteOnly))
	id := q(ty.ReserveID)
	for _, c := range []struct {
		name string
		args []types.Qual
		want string
	}{
		{"to_global", []types.Qual{ptr(ty.Float, types.Generic)},
			"__global float * to_global(__generic float *)"},
		{"to_local", []types.Qual{ptr(ty.Float, types.Constant)},
			"0: invalid argument __constant float * to function: 'to_local', expecting a generic pointer type"},
		{"to_private", []types.Qual{q(ty.Int)},
			"0: invalid argument int to function: 'to_private', expecting a generic pointer type"},
		{"to_private", nil, "-1: invalid number of arguments to function: 'to_private'"},
		{"as_int", []types.Qual{q(ty.Float)}, "int as_int(float)"},
		{"as_int3", []types.Qual{q(ty.Vector(ty.Float, 4))}, "int3 as_int3(float4)"},
		{"as_int2", []types.Qual{q(ty.Vector(ty.Float, 4))},
			"0: invalid reinterpretation: sizes of 'int2' and 'float4' must match"},
		{"as_uchar", []types.Qual{q(ty.Bool)},
			"0: invalid reinterpretation: sizes of 'uchar' and 'bool' must match"},
		{"read_pipe", []types.Qual{in, ptr(ty.Int, types.Global)},
			"int read_pipe(read_only pipe int, __generic int *)"},
		{"read_pipe", []types.Qual{in, id, q(ty.Int), ptr(ty.Int, types.Private)},
			"int read_pipe(read_only pipe int, reserve_id_t, uint, __generic int *)"},
		{"read_pipe", []types.Qual{out, ptr(ty.Int, types.Global)},
			"0: invalid pipe access modifier (expecting read_only)"},
		{"write_pipe", []types.Qual{in, ptr(ty.Int, types.Global)},
			"0: invalid pipe access modifier (expecting write_only)"},
		{"read_pipe", []types.Qual{q(ty.Int), ptr(ty.Int, types.Global)},
			"0: first argument to 'read_pipe' must be a pipe type"},
		{"read_pipe", []types.Qual{in, ptr(ty.Float, types.Global)},
			"1: invalid argument type to function 'read_pipe' (expecting 'int *' having '__global float *')"},
		{"read_pipe", []types.Qual{in}, "-1: invalid number of arguments to function: 'read_pipe'"},
		{"reserve_write_pipe", []types.Qual{out, q(ty.Int)},
			"reserve_id_t reserve_write_pipe(write_only pipe int, uint)"},
		{"work_group_commit_read_pipe", []types.Qual{in, id},
			"void work_group_commit_read_pipe(read_only pipe int, reserve_id_t)"},
		{"sub_group_commit_write_pipe", []types.Qual{out, q(ty.Int)},
			"1: invalid argument type to function 'sub_group_commit_write_pipe' (expecting 'reserve_id_t' having 'int')"},
		{"get_pipe_max_packets", []types.Qual{out}, "uint get_pipe_max_packets(write_only pipe int)"},
		{"sin", []types.Qual{q(ty.Float)}, "-1: 'sin' is no built-in function of this kind"},
	} {
		s, p := tab.Special(c.name, c.args)
		got := ""
		if p != nil {
			got = fmt.Sprintf("%d: %s", p.Arg, p.Message)
		} else {
			got = s.String()
		}
		if got != c.want {
			t.Errorf("%s%v is\n%s, not\n%s", c.name, c.args, got, c.want)
		}
	}
}

func TestSuggest(t *testing.T) {
	_, tab := table(lang.CL12)
	for name, want := range map[string]string{
		"get_globl_id": "get_global_id", "Sin": "sin", "barier": "barrier", "convert_uimt4": "convert_uint4",
		"xyzzyxyzzy": "", "a": "",
		"atomic_fetch_ad": "", strings.Repeat("x", 1000): "",
	} {
		if got := tab.Suggest(name); got != want {
			t.Errorf("Suggest(%.20q) is %q, not %q", name, got, want)
		}
	}
}

func BenchmarkExact(b *testing.B) {
	for b.Loop() {
		ty, tab := table(lang.CL30)
		f4 := types.Qual{Type: ty.Vector(ty.Float, 4)}
		tab.Exact("get_global_id", []types.Qual{{Type: ty.UInt}})
		tab.Exact("max", []types.Qual{f4, f4})
		tab.Exact("clamp", []types.Qual{f4, f4, f4})
	}
}
