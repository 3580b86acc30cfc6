package spirv

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

func TestLookups(t *testing.T) {
	n := 0
	for info := range Ops() {
		n++
		for _, name := range append([]string{info.Name}, info.Aliases...) {
			if op, ok := LookupOp(name); !ok || op != info.Op {
				t.Errorf("LookupOp(%s) = %v, %v", name, op, ok)
			}
		}
		if got, ok := info.Op.Info(); !ok || got != info || info.Op.String() != info.Name {
			t.Errorf("Info of %s gives %v", info.Name, got)
		}
		kinds := make([]OperandKind, len(info.Operands))
		for i, o := range info.Operands {
			kinds[i] = o.Kind
		}
		if info.Op.HasResult() != slices.Contains(kinds, KindIdResult) || info.Op.HasResultType() != slices.Contains(kinds, KindIdResultType) {
			t.Errorf("%s: result flags disagree with its operands", info.Name)
		}
	}
	if n < 800 {
		t.Errorf("the grammar has %d instructions only", n)
	}
	if _, ok := LookupOp("IAdd"); ok {
		t.Error("a name without its Op prefix was found")
	}
	for k := OperandKind(1); int(k) < len(kindTable); k++ {
		if k.Category() == 0 {
			t.Errorf("%v has no category", k)
		}
		for i, e := range k.Enumerants() {
			if got, ok := k.Value(e.Value); !ok || got != &k.Enumerants()[i] {
				t.Errorf("%v.Value(%d) = %v", k, e.Value, got)
			}
			for _, name := range append([]string{e.Name}, e.Aliases...) {
				if got, ok := k.Named(name); !ok || got.Value != e.Value {
					t.Errorf("%v.Named(%s) = %v", k, name, got)
				}
			}
		}
	}
	for set := range ExtInstSets() {
		for _, inst := range set.Insts() {
			if got, ok := set.Inst(inst.Number); !ok || got.Name != inst.Name {
				t.Errorf("%s %d gives %v", set.Name, inst.Number, got)
			}
			if got, ok := set.InstNamed(inst.Name); !ok || got.Number != inst.Number {
				t.Errorf("%s %s gives %v", set.Name, inst.Name, got)
			}
		}
	}
}

func TestKnownFacts(t *testing.T) {
	if op, _ := LookupOp("OpReadPipeBlockingINTEL"); op != OpReadPipeBlockingALTERA {
		t.Error("alias of a blocking pipe read is not known")
	}
	if e, ok := KindDecoration.Value(uint32(DecorationLinkageAttributes)); !ok || len(e.Operands) != 2 || e.Operands[1].Kind != KindLinkageType {
		t.Errorf("LinkageAttributes: %+v", e)
	}
	if e, ok := KindCapability.Value(uint32(CapabilityVector16)); !ok || !slices.Contains(e.Capabilities, CapabilityKernel) {
		t.Errorf("Vector16: %+v", e)
	}
	for name, want := range map[string]string{
		"OpenCL.std":                            "OpenCL.std",
		"Codeplay.GroupAsyncCopies":             "NonSemantic.Codeplay.GroupAsyncCopies",
		"NonSemantic.Codeplay.GroupAsyncCopies": "NonSemantic.Codeplay.GroupAsyncCopies",
		"NonSemantic.ClspvReflection.5":         "NonSemantic.ClspvReflection",
	} {
		if set, ok := LookupExtInstSet(name); !ok || set.Name != want {
			t.Errorf("set %s: %v", name, set)
		}
	}
	set, _ := LookupExtInstSet("Codeplay.GroupAsyncCopies")
	if i2, _ := set.Inst(CodeplayGroupAsyncCopiesGroupAsyncCopy2D2D); len(i2.Operands) != 10 {
		t.Errorf("GroupAsyncCopy2D2D has %d operands", len(i2.Operands))
	}
	if i3, _ := set.Inst(CodeplayGroupAsyncCopiesGroupAsyncCopy3D3D); len(i3.Operands) != 13 {
		t.Errorf("GroupAsyncCopy3D3D has %d operands", len(i3.Operands))
	}
	if s := (MemoryAccessVolatile | MemoryAccessAligned).String(); s != "Volatile|Aligned" {
		t.Errorf("mask reads %s", s)
	}
	if s := MemoryAccess(0).String(); s != "None" {
		t.Errorf("empty mask reads %s", s)
	}
	if s := StorageClass(77777).String(); s != "77777" {
		t.Errorf("unknown value reads %s", s)
	}
}

// TestGenerated proves that the committed tables are those of the committed grammar.
func TestGenerated(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the generator")
	}
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command here")
	}
	dir := t.TempDir()
	cmd := exec.Command(goTool, "run", "./internal/gen", "-grammar", "internal/grammar", "-out", dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("running the generator: %v\n%s", err, out)
	}
	for _, name := range []string{"ops_gen.go", "kinds_gen.go", "extinst_gen.go"} {
		want, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what the generator writes (%v): run go generate ./spirv", name, err)
		}
	}
}
