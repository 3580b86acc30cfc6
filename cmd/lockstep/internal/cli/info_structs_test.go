package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/infocmd"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/loader"
	"github.com/lockstep-gpu/lockstep/emu/argspec"
)

// TestStructureForms takes the command lines that info suggests and checks that the
// arguments for structures have the size of their parameters.
func TestStructureForms(t *testing.T) {
	fits := 0
	for _, path := range []string{"structs.spv", "members.spvasm", "kernels.spv", "spirv/testdata/attributes.O0.spv", "spirv/testdata/spec.spvasm"} {
		w := &world{written: map[string][]byte{}}
		m, err := loader.Load(t.Context(), &cmdline.Env{Open: w.open}, path)
		if err != nil {
			t.Fatal(err)
		}
		info, sm, err := infocmd.Reflect(m)
		if err != nil {
			t.Fatal(err)
		}
		doc := infocmd.NewModuleInfo(m, info)
		doc.AddStructures(sm)
		for _, k := range doc.Kernels {
			for i, a := range k.Args {
				if a.Kind != "value" || a.Form == "" || a.Form == "bytes:HEX" {
					continue
				}
				spec, err := argspec.Parse(strings.ReplaceAll(a.Form, "V", "1"), nil)
				if err != nil {
					t.Errorf("%s: %s: argument %d: %v", path, k.Name, i, err)
				} else if uint64(len(spec.Data)) != a.Bytes {
					t.Errorf("%s: %s: argument %d takes %d bytes, %s has %d", path, k.Name, i, a.Bytes, a.Form, len(spec.Data))
				}
				fits++
			}
		}
	}
	if fits < 6 {
		t.Errorf("only %d structures have a form", fits)
	}
}

// TestStructuresJSON checks the fields in the document of info.
func TestStructuresJSON(t *testing.T) {
	w := &world{written: map[string][]byte{}}
	out, errs, status := w.run(context.Background(), strings.Fields("info members.spvasm -json"), nil)
	var doc infocmd.ModuleInfo
	if err := json.Unmarshal([]byte(out), &doc); err != nil || status != 0 {
		t.Fatalf("exit status %d: %v\n%s", status, err, errs)
	}
	want := []infocmd.FieldInfo{{Name: "mass", Type: "float", Offset: 0, Bytes: 4}, {Name: "position", Type: "float3", Offset: 16, Bytes: 16}, {Name: "id", Type: "ulong", Offset: 32, Bytes: 8}}
	value, pointer := doc.Kernels[0].Args[0], doc.Kernels[0].Args[1]
	if !slices.Equal(value.Fields, want) || value.ElementBytes != 0 || !slices.Equal(pointer.Fields, want) || pointer.ElementBytes != 48 {
		t.Errorf("got %+v and %+v, want fields %+v", value, pointer, want)
	}
	if many := doc.Kernels[1].Args[2]; len(many.Fields) != infocmd.MaxFields || many.MoreFields != 2 {
		t.Errorf("of 34 fields there are %d, and %d are omitted", len(many.Fields), many.MoreFields)
	}
}

// TestStructuresBound holds the document of a module with many structures to its size.
func TestStructuresBound(t *testing.T) {
	const params = 400
	text := "OpCapability Addresses\nOpCapability Kernel\nOpMemoryModel Physical64 OpenCL\nOpEntryPoint Kernel %k \"k\"\n" +
		"%void = OpTypeVoid\n%int = OpTypeInt 32 0\n%s = OpTypeStruct" + strings.Repeat(" %int", infocmd.MaxFields) +
		"\n%fn = OpTypeFunction %void" + strings.Repeat(" %s", params) + "\n%k = OpFunction %void None %fn\n"
	for i := range params {
		text += fmt.Sprintf("%%p%d = OpFunctionParameter %%s\n", i)
	}
	text += "%l = OpLabel\nOpReturn\nOpFunctionEnd\n"
	w := &world{written: map[string][]byte{"many.spvasm": []byte(text)}}
	out, errs, status := w.run(context.Background(), []string{"info", "many.spvasm"}, nil)
	if fields := strings.Count(out, "  uint\n"); status != 0 || fields != infocmd.MaxAllFields {
		t.Errorf("exit status %d, %d fields, want %d\n%s", status, fields, infocmd.MaxAllFields, errs)
	}
}
