package cli

import (
	"context"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/conformancecmd"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/explorecmd"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/gradecmd"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/hostcmd"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/infocmd"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/launch"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/toolchain"
	"github.com/lockstep-gpu/lockstep/conformance"
	"github.com/lockstep-gpu/lockstep/docs/course/grade"
	"github.com/lockstep-gpu/lockstep/emu/explore"
	"github.com/lockstep-gpu/lockstep/internal/hostrun"
)

// documentType is a document and its name.
type documentType struct {
	name string
	doc  any
}

// documentTypes are the documents by name, in the order of the schema.
var documentTypes = []documentType{
	{"run", launch.Report{}}, {"info", infocmd.ModuleInfo{}}, {"info-opcodes", infocmd.OpcodesInfo{}}, {"validate", toolchain.Verdict{}}, {"conformance", conformance.ReportDocument{}},
	{"explore", explorecmd.Document{}}, {"explore-exhaustive", explorecmd.ExhaustiveDocument{}}, {"conformance-list", conformancecmd.CaseList{}}, {"conformance-matrix", conformance.CoverageDocument{}}, {"grade", gradecmd.Report{}}, {"grade-list", gradecmd.CourseList{}}, {"driver", hostcmd.DriverDocument{}}, {"launch", hostrun.Document{}}, {"error", cmdline.ErrorReport{}},
}

var schemaCommand = &cmdline.Command{
	Name:  "schema",
	Short: "print the JSON Schema of the documents of -json",
	Long: `Prints a JSON Schema (draft 2020-12) that every document of -json follows; lockstep help json
describes them in words.
`,
	Setup: func(*cmdline.Flags) func(context.Context, *cmdline.Env, []string) error {
		return func(_ context.Context, env *cmdline.Env, args []string) error {
			if len(args) > 0 {
				return cmdline.Usagef("help schema", "schema: takes no arguments")
			}
			doc, err := jsonSchema()
			if err != nil {
				return err
			}
			return cmdline.WriteJSON(env.Stdout, doc)
		}
	},
}

// jsonSchema returns the JSON Schema of all documents.
func jsonSchema() (any, error) {
	s := schemas{defs: map[string]any{}, types: map[string]reflect.Type{}}
	var all []any
	for _, d := range documentTypes {
		def := s.object(reflect.TypeOf(d.doc))
		properties := def["properties"].(map[string]any)
		properties["schema"] = map[string]any{"const": cmdline.SchemaVersion}
		properties["document"] = map[string]any{"const": d.name}
		def["required"] = append([]string{"schema", "document"}, def["required"].([]string)...)
		s.defs[d.name] = def
		all = append(all, map[string]any{"$ref": "#/$defs/" + d.name})
	}
	return map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Documents of lockstep -json",
		"oneOf": all, "$defs": s.defs,
	}, errors.Join(s.errs...)
}

// schemas makes schemas of Go types, as encoding/json writes them.
type schemas struct {
	defs  map[string]any
	types map[string]reflect.Type // by name
	errs  []error
}

// names are the names of structures that share theirs with another one, or with a document.
var names = map[reflect.Type]string{
	reflect.TypeFor[explore.Run]():      "runOfKernel",
	reflect.TypeFor[grade.Difference](): "wrongElement",
	reflect.TypeFor[hostrun.Call]():     "callOfHost",
}

// name returns the name of a structure: that of its type without the package, which is nobody's business. It
// notes two structures of a name as an error.
func (s *schemas) name(t reflect.Type) string {
	name := names[t]
	if name == "" {
		name = strings.ToLower(t.Name()[:1]) + t.Name()[1:]
	}
	other, ok := s.types[name]
	document := slices.ContainsFunc(documentTypes, func(d documentType) bool { return d.name == name })
	if ok && other != t || document {
		s.errs = append(s.errs, fmt.Errorf("the schema has two structures %q: one is %s", name, t))
	}
	s.types[name] = t
	return name
}

var (
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
	jsonMarshaler = reflect.TypeFor[json.Marshaler]()
)

// of returns the schema of a type; that of a structure with a name stands in defs.
func (s *schemas) of(t reflect.Type) map[string]any {
	switch {
	case t == reflect.TypeFor[json.RawMessage](), t.Kind() == reflect.Interface:
		return map[string]any{}
	case t.Implements(jsonMarshaler):
		return map[string]any{}
	case t.Implements(textMarshaler):
		return map[string]any{"type": "string"}
	}
	switch t.Kind() {
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Float32, reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.Pointer:
		return s.of(t.Elem())
	case reflect.Slice:
		return map[string]any{"type": "array", "items": s.of(t.Elem())}
	case reflect.Array:
		return map[string]any{"type": "array", "items": s.of(t.Elem()), "minItems": t.Len(), "maxItems": t.Len()}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": s.of(t.Elem())}
	case reflect.Struct:
		if t.Name() == "" {
			return s.object(t)
		}
		name := s.name(t)
		if _, ok := s.defs[name]; !ok {
			s.defs[name] = nil // for types that hold themselves
			s.defs[name] = s.object(t)
		}
		return map[string]any{"$ref": "#/$defs/" + name}
	}
	return map[string]any{"type": "integer"}
}

// object returns the schema of a structure.
func (s *schemas) object(t reflect.Type) map[string]any {
	properties, required := map[string]any{}, []string{}
	for i := range t.NumField() {
		f := t.Field(i)
		tag, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case tag == "-" || !f.IsExported() && !f.Anonymous:
			continue
		case f.Anonymous && tag == "":
			inner := s.object(f.Type)
			for name, p := range inner["properties"].(map[string]any) {
				properties[name] = p
			}
			required = append(required, inner["required"].([]string)...)
			continue
		case tag == "":
			tag = f.Name
		}
		properties[tag] = s.of(f.Type)
		if !strings.Contains(options, "omitempty") && !strings.Contains(options, "omitzero") {
			required = append(required, tag)
		}
	}
	return map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
}
