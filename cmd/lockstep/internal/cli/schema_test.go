package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/launch"
	"github.com/lockstep-gpu/lockstep/emu/explore"
)

// schemaChecker holds a document against a JSON Schema with the keywords that
// lockstep's has.
type schemaChecker struct{ root map[string]any }

// newSchemaChecker reads the schema that the command prints.
func newSchemaChecker(t *testing.T) *schemaChecker {
	t.Helper()
	w := &world{written: map[string][]byte{}}
	out, errs, status := w.run(context.Background(), []string{"schema"}, nil)
	if status != cmdline.ExitDone {
		t.Fatalf("exit status %d: %s", status, errs)
	}
	c := &schemaChecker{}
	if err := json.Unmarshal([]byte(out), &c.root); err != nil {
		t.Fatal(err)
	}
	return c
}

// document returns what is wrong with a document.
func (c *schemaChecker) document(text string) error {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return err
	}
	if d.More() {
		return fmt.Errorf("more than one document")
	}
	return c.check(c.root, v, "document")
}

// check returns what is wrong with a value.
func (c *schemaChecker) check(schema map[string]any, v any, at string) error {
	for _, keyword := range slices.Sorted(maps.Keys(schema)) {
		if !slices.Contains([]string{"$schema", "$defs", "$ref", "title", "oneOf", "const", "type", "properties", "required", "additionalProperties", "items", "minItems", "maxItems"}, keyword) {
			return fmt.Errorf("%s: the schema has the keyword %s, which this test does not know", at, keyword)
		}
	}
	if ref, ok := schema["$ref"].(string); ok {
		def, ok := c.root["$defs"].(map[string]any)[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
		if !ok {
			return fmt.Errorf("%s: %s is not defined", at, ref)
		}
		return c.check(def, v, at)
	}
	if list, ok := schema["oneOf"].([]any); ok {
		var wrong []string
		for _, s := range list {
			if err := c.check(s.(map[string]any), v, at); err != nil {
				wrong = append(wrong, err.Error())
			}
		}
		if len(wrong) != len(list)-1 {
			return fmt.Errorf("%s: follows %d of the alternatives:\n%s", at, len(list)-len(wrong), strings.Join(wrong, "\n"))
		}
	}
	if want, ok := schema["const"]; ok && fmt.Sprint(v) != fmt.Sprint(want) {
		return fmt.Errorf("%s: %v, want %v", at, v, want)
	}
	kind := ""
	switch v := v.(type) {
	case bool:
		kind = "boolean"
	case string:
		kind = "string"
	case json.Number:
		if kind = "integer"; strings.ContainsAny(v.String(), ".eE") {
			kind = "number"
		}
	case []any:
		kind = "array"
		for i, x := range v {
			if items, ok := schema["items"].(map[string]any); ok {
				if err := c.check(items, x, fmt.Sprintf("%s[%d]", at, i)); err != nil {
					return err
				}
			}
		}
		for _, limit := range []struct {
			name string
			sign int
		}{{"minItems", 1}, {"maxItems", -1}} {
			if n, ok := schema[limit.name].(float64); ok && limit.sign*len(v) < limit.sign*int(n) {
				return fmt.Errorf("%s: %d elements, %s is %v", at, len(v), limit.name, n)
			}
		}
	case map[string]any:
		kind = "object"
		properties, _ := schema["properties"].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(v)) {
			p, ok := properties[name].(map[string]any)
			if !ok {
				if rest, open := schema["additionalProperties"].(map[string]any); open {
					p = rest
				} else if schema["additionalProperties"] == false {
					return fmt.Errorf("%s: field %s is not in the schema", at, name)
				}
			}
			if err := c.check(p, v[name], at+"."+name); err != nil {
				return err
			}
		}
		required, _ := schema["required"].([]any)
		for _, name := range required {
			if _, ok := v[name.(string)]; !ok {
				return fmt.Errorf("%s: field %s is missing", at, name)
			}
		}
	case nil:
		kind = "null"
	}
	if want, ok := schema["type"].(string); ok && kind != want && !(want == "number" && kind == "integer") {
		return fmt.Errorf("%s: a %s, want a %s", at, kind, want)
	}
	return nil
}

// TestDocumentsFollowSchema holds every kind of document against the schema.
func TestDocumentsFollowSchema(t *testing.T) {
	c := newSchemaChecker(t)
	seen := map[string]bool{}
	for _, line := range []string{
		"run examples/saxpy/saxpy.cl -global 8 -arg f32:2 -arg iota:f32:8 -arg fill:f32:8:inf -out 2=- -json -stats",
		"run examples/saxpy/saxpy.cl -global 9 -arg f32:2 -arg iota:f32:8 -arg fill:f32:8:1 -json",
		"run kernels.spv -kernel uneven -global 8 -local 8 -arg zero:i32:8 -arg local:32 -json",
		"run kernels.spv -kernel hello -global 2 -json",
		"run examples/pipelined-matmul/matmul.cl -D MISSING_WAIT -kernel matmul_events -global 16,16 -arg iota:f32:12 -arg iota:f32:20 -arg zero:f32:15 -arg u32:3 -arg u32:5 -arg u32:4 -check -json -explain async",
		"run pipes.spv -pipe a=i32:4 -kernel source -global 1 -arg pipe:a -arg i32:10 -with -kernel sink -global 10 -arg pipe:a -arg zero:i32:10 -json -out 1=- -explain pipes",
		"run pipes.spv -kernel sink -global 6 -arg pipe:i32:2:iota:i32:3 -arg zero:i32:6 -json",
		"info kernels.spv -json", "info pipes.spv -json", "info spec.spvasm -json", "info structs.spv -json", "info emu/testdata/images/O2.spv -json", "info -opcodes -json", "info -opcodes -for opcodes.spvasm -json",
		"validate small.spvasm -json", "validate wrong.spvasm -json",
		"run cl/scale.cl -Icl/inc -global 1 -arg zero:i32:1 -json", "run cl/warn.cl -global 1 -arg zero:i32:2 -json -Wall", "run cl/wrong.cl -json -global 1",
		"info cl/warn.cl -json -Wall", "validate cl/warn.cl -json -Wall", "info cl/scale.cl -json", "validate cl/noise.cl -json", "info cl/warn.cl -cl-foo -json",
		"conformance -list -json memory", "conformance -list -json", "conformance -json -quick -clause GAC-01", "conformance -matrix -json -quick -clause GAC-01",
		"explore explore.cl -kernel last -global 8 -arg zero:i32:1 -json", "explore explore.cl -kernel reverse -global 8 -arg iota:i32:8 -arg zero:i32:8 -arg local:32 -out 1=- -json",
		"explore explore.cl -kernel pairs -global 8 -arg zero:i32:1 -json -runs 8", "explore explore.cl -kernel past -global 8 -arg zero:i32:8 -json -runs 8", "explore -json",
		"merge -json nowhere.jsonl", "explore explore.cl -kernel last -global 3 -local 1 -arg zero:i32:1 -exhaustive -json", "explore explore.cl -kernel past -global 2 -arg zero:i32:2 -exhaustive -json", "explore explore.cl -kernel sometimes -global 8 -local 4 -arg zero:i32:2 -json -runs 16",
		"run -json", "run -json -globl 8", "run nowhere.spv -global 1 -json", "info -json", "info elf.o -json", "validate nowhere.spv -json", "conformance -json -junit", "conformance -json nosuch", "driver -json",
		"grade -json", "grade 2 docs/course/02-memory-spaces/columns.cl -json", "grade 3.2 docs/course/03-work-groups/neighbours.cl -json", "grade 1.1 cl/wrong.cl -json",
		"grade 1.1 docs/course/01-work-items/scale.cl -json", "grade 13 -json",
	} {
		w := &world{written: map[string][]byte{}}
		out, errs, status := w.run(context.Background(), strings.Fields(line), nil)
		if err := c.document(out); err != nil {
			t.Errorf("%s: exit status %d: %v\n%s%s", line, status, err, out, errs)
			continue
		}
		var head struct {
			Schema   int
			Document string
		}
		if err := json.Unmarshal([]byte(out), &head); err != nil || head.Schema != cmdline.SchemaVersion {
			t.Errorf("%s: %+v, %v", line, head, err)
		}
		if seen[head.Document] = true; (head.Document == "error") != (status == cmdline.ExitUsage) || status == cmdline.ExitUsage && errs == "" {
			t.Errorf("%s: document %s with exit status %d and %q on standard error", line, head.Document, status, errs)
		}
	}
	help := &world{written: map[string][]byte{}}
	jsonHelp, _, _ := help.run(context.Background(), []string{"help", "json"}, nil)
	for _, d := range documentTypes {
		if !seen[d.name] && d.name != "launch" { // which the driver prints: internal/hostrun has its test
			t.Errorf("no command of this test prints a document %q", d.name)
		}
		if !strings.Contains(jsonHelp, `"`+d.name+`"`) {
			t.Errorf("help json does not mention %q", d.name)
		}
	}
	// Cancelled before it begins.
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	w := &world{written: map[string][]byte{}}
	out, _, _ := w.run(ctx, strings.Fields("run kernels.spv -kernel forever -global 1 -arg zero:i32:1 -json"), nil)
	if err := c.document(out); err != nil {
		t.Errorf("cancelled: %v\n%s", err, out)
	}
}

// TestSchemaNames holds that names in the schema are those of documents and structures, none of which shares
// its name with another one, and that no Go package is in them.
func TestSchemaNames(t *testing.T) {
	defs := newSchemaChecker(t).root["$defs"].(map[string]any)
	plain := regexp.MustCompile(`^[a-z][A-Za-z0-9-]*$`)
	for _, name := range slices.Sorted(maps.Keys(defs)) {
		if !plain.MatchString(name) {
			t.Errorf("$defs has the name %s", name)
		}
	}
	if defs["kernelInfo"] == nil {
		t.Error("$defs has no kernelInfo")
	}
	type Difference struct{ A int }
	s := schemas{defs: map[string]any{}, types: map[string]reflect.Type{}}
	s.of(reflect.TypeFor[explore.Difference]())
	if s.of(reflect.TypeFor[explore.Difference]()); len(s.errs) > 0 {
		t.Errorf("one structure has two names: %v", s.errs)
	}
	if s.of(reflect.TypeFor[Difference]()); len(s.errs) != 1 {
		t.Errorf("two structures of a name: %v", s.errs)
	}
	type Validate struct{ A int }
	if s.of(reflect.TypeFor[Validate]()); len(s.errs) != 2 {
		t.Errorf("a structure with the name of a document: %v", s.errs)
	}
}

// TestSchemaRefuses holds that the checker of these tests finds what is wrong.
func TestSchemaRefuses(t *testing.T) {
	c := newSchemaChecker(t)
	w := &world{written: map[string][]byte{}}
	good, _, _ := w.run(context.Background(), strings.Fields("validate small.spvasm -json"), nil)
	for _, change := range [][2]string{
		{`"schema": 1`, `"schema": 2`}, {`"document": "validate"`, `"document": "run"`}, {`"valid": true`, `"valid": 1`},
		{`"valid": true,`, ``}, {`"broken": []`, `"broken": {}`}, {`"broken": []`, `"broken": [], "more": 1`}, {`"broken": []`, `"broken": null`}, {`"broken": []`, `"broken": [{"rule": "x"}]`},
	} {
		bad := strings.Replace(good, change[0], change[1], 1)
		if bad == good {
			t.Errorf("no %s in %s", change[0], good)
		} else if c.document(bad) == nil {
			t.Errorf("%s instead of %s passes", change[1], change[0])
		}
	}
	if err := c.document(good); err != nil {
		t.Error(err)
	}
}

// TestEngineOfDocument holds that a document names the engine that ran the kernel,
// which is not always the device's.
func TestEngineOfDocument(t *testing.T) {
	run := strings.Fields("run ../../../../examples/saxpy/saxpy.cl -global 8 -arg f32:2 -arg iota:f32:8 -arg zero:f32:8 -json")
	if _, errs, err := process(t, "", append(run, "-engine", "native")...); err != nil && strings.Contains(errs, "native") {
		t.Skip("no machine code here")
	}
	for _, c := range []struct{ flags, want string }{
		{"-engine native", "native"}, {"-engine interp", "interp"}, {"-engine native -check", "interp"},
		// So small a launch ends before machine code is worth its while.
		{"-engine auto", "interp"},
	} {
		out, errs, err := process(t, "", append(run, strings.Fields(c.flags)...)...)
		if err != nil {
			t.Errorf("%s: %v, %s", c.flags, err, errs)
			continue
		}
		var doc launch.Report
		if err := json.Unmarshal([]byte(out), &doc); err != nil || len(doc.Launches) != 1 || doc.Launches[0].Engine != c.want {
			t.Errorf("%s: %v, want engine %s in\n%s", c.flags, err, c.want, out)
		}
	}
}
