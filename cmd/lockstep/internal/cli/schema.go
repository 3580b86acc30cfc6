package cli

import (
	"context"
	"encoding"
	"encoding/json"
	"reflect"
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
	"github.com/lockstep-gpu/lockstep/internal/hostrun"
)

// documentTypes are the documents by name, in the order of the schema.
var documentTypes = []struct {
	name string
	doc  any
}{
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
			return cmdline.WriteJSON(env.Stdout, jsonSchema())
		}
	},
}

// jsonSchema returns the JSON Schema of all documents.
func jsonSchema() any {
	s := schemas{defs: map[string]any{}}
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
	}
}

// schemas makes schemas of Go types, as encoding/json writes them.
type schemas struct{ defs map[string]any }

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
		if _, ok := s.defs[t.String()]; !ok {
			s.defs[t.String()] = nil // for types that hold themselves
			s.defs[t.String()] = s.object(t)
		}
		return map[string]any{"$ref": "#/$defs/" + t.String()}
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
