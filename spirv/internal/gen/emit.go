package main

import (
	"bytes"
	"fmt"
	"sort"
	"strings"
)

// names catches two constants of the same Go name before the compiler does.
type names map[string]string

func (n names) add(ident, what string) error {
	if old, ok := n[ident]; ok {
		return fmt.Errorf("%s is the name of both %s and %s", ident, old, what)
	}
	n[ident] = what
	return nil
}

// nameRow is a row of a name index: a name and the place of its owner in a table.
type nameRow struct {
	name  string
	index int
}

func emitNameIndex(b *bytes.Buffer, rows []nameRow) {
	sort.Slice(rows, func(i, j int) bool { return rows[i].name < rows[j].name })
	for _, r := range rows {
		fmt.Fprintf(b, "{%q, %d},\n", r.name, r.index)
	}
}

func versionLit(v string) (string, error) {
	if v == "" || v == "None" {
		return "0", nil
	}
	var major, minor int
	if _, err := fmt.Sscanf(v, "%d.%d", &major, &minor); err != nil {
		return "", fmt.Errorf("version %q: %w", v, err)
	}
	return fmt.Sprintf("0x%08x", major<<16|minor<<8), nil
}

func (g *grammar) operandsLit(s *extSet, ops []operand) (string, error) {
	var b strings.Builder
	b.WriteString("[]Operand{")
	for i, o := range ops {
		id, err := g.kindOf(s, o.Kind)
		if err != nil {
			return "", err
		}
		q, ok := map[string]string{"": "One", "?": "Optional", "*": "Any"}[o.Quantifier]
		if !ok {
			return "", fmt.Errorf("quantifier %q of operand %q", o.Quantifier, o.Name)
		}
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "{Kind%s, %s, %q}", id, q, strings.ReplaceAll(o.Name, "\n", " "))
	}
	b.WriteString("}")
	return b.String(), nil
}

// fields writes what instructions and enumerants have in common.
func (g *grammar) fields(b *bytes.Buffer, s *extSet, aliases []string, ops []operand, caps, exts []string, ver, last string, provisional bool) error {
	if len(aliases) > 0 {
		fmt.Fprintf(b, ", Aliases: %#v", aliases)
	}
	if len(ops) > 0 {
		lit, err := g.operandsLit(s, ops)
		if err != nil {
			return err
		}
		fmt.Fprintf(b, ", Operands: %s", lit)
	}
	if len(caps) > 0 {
		b.WriteString(", Capabilities: []Capability{")
		for _, c := range caps {
			fmt.Fprintf(b, "Capability%s, ", c)
		}
		b.WriteString("}")
	}
	if len(exts) > 0 {
		fmt.Fprintf(b, ", Extensions: %#v", exts)
	}
	for _, v := range []struct{ field, value string }{{"Since", ver}, {"Until", last}} {
		lit, err := versionLit(v.value)
		if err != nil {
			return err
		}
		if lit != "0" {
			fmt.Fprintf(b, ", %s: %s", v.field, lit)
		}
	}
	if provisional {
		b.WriteString(", Provisional: true")
	}
	return nil
}

func emitOps(b *bytes.Buffer, g *grammar) error {
	seen := names{}
	b.WriteString("// The instructions of the core grammar and of the registered extensions, aliases included.\nconst (\n")
	for _, in := range g.instructions {
		for _, n := range append([]string{in.Name}, in.Aliases...) {
			if err := seen.add(n, fmt.Sprintf("opcode %d", in.Opcode)); err != nil {
				return err
			}
			fmt.Fprintf(b, "%s Op = %d\n", n, in.Opcode)
		}
	}
	b.WriteString(")\n\n// opTable holds every instruction, by opcode.\nvar opTable = [...]OpInfo{\n")
	for i, in := range g.instructions {
		if i > 0 && in.Opcode == g.instructions[i-1].Opcode {
			return fmt.Errorf("%s and %s share an opcode", g.instructions[i-1].Name, in.Name)
		}
		fmt.Fprintf(b, "{Op: %s, Name: %q, Class: %q", in.Name, in.Name, in.Class)
		if err := g.fields(b, nil, in.Aliases, in.Operands, in.Capabilities, in.Extensions, in.Version, in.LastVersion, in.Provisional); err != nil {
			return fmt.Errorf("%s: %w", in.Name, err)
		}
		b.WriteString("},\n")
	}
	b.WriteString("}\n\n// opMeta answers the questions asked of every instruction that is decoded, by opcode.\nvar opMeta = [...]opMetaRow{\n")
	for i, in := range g.instructions {
		minWords, typ, res := 1, false, false
		for _, o := range in.Operands {
			switch o.Kind {
			case "IdResultType":
				typ = true
			case "IdResult":
				res = true
			}
			if o.Quantifier == "" {
				minWords++
				if strings.HasPrefix(o.Kind, "Pair") {
					minWords++
				}
			}
		}
		fmt.Fprintf(b, "%s: {%d, %d, %t, %t},\n", in.Name, i+1, minWords, typ, res)
	}
	b.WriteString("}\n\n// opNames finds an instruction by name or alias.\nvar opNames = [...]nameRow{\n")
	var rows []nameRow
	for i, in := range g.instructions {
		for _, n := range append([]string{in.Name}, in.Aliases...) {
			rows = append(rows, nameRow{n, i})
		}
	}
	emitNameIndex(b, rows)
	b.WriteString("}\n")
	return nil
}

func emitKinds(b *bytes.Buffer, g *grammar) error {
	seen := names{}
	b.WriteString("// The operand kinds of the core grammar, then those of the extended instruction sets.\nconst (\n")
	for i, k := range g.kinds {
		if i == 0 {
			fmt.Fprintf(b, "Kind%s OperandKind = iota + 1\n", k.ident)
		} else {
			fmt.Fprintf(b, "Kind%s\n", k.ident)
		}
	}
	b.WriteString(")\n\n")
	for _, k := range g.kinds {
		if len(k.Enumerants) == 0 {
			continue
		}
		if err := seen.add(k.ident, "operand kind"); err != nil {
			return err
		}
		fmt.Fprintf(b, "// %s is the operand kind of that name (category %s).\ntype %s uint32\n\n", k.ident, k.Category, k.ident)
		fmt.Fprintf(b, "// String gives the names of the grammar.\nfunc (v %s) String() string { return Kind%s.ValueString(uint32(v)) }\n\n", k.ident, k.ident)
		fmt.Fprintf(b, "// The values of %s.\nconst (\n", k.ident)
		for _, e := range k.Enumerants {
			for _, n := range append([]string{e.Name}, e.Aliases...) {
				if err := seen.add(k.ident+n, "enumerant of "+k.ident); err != nil {
					return err
				}
				if k.Category == "BitEnum" {
					fmt.Fprintf(b, "%s%s %s = 0x%x\n", k.ident, n, k.ident, e.value)
				} else {
					fmt.Fprintf(b, "%s%s %s = %d\n", k.ident, n, k.ident, e.value)
				}
			}
		}
		b.WriteString(")\n\n")
	}
	b.WriteString("// kindTable holds every operand kind; the place of a kind is its number.\nvar kindTable = [...]kindInfo{\n")
	for _, k := range g.kinds {
		fmt.Fprintf(b, "Kind%s: {name: %q, category: Category%s", k.ident, k.Name, strings.Replace(k.Category, "Id", "ID", 1))
		if len(k.Bases) > 0 {
			b.WriteString(", bases: []OperandKind{")
			for _, base := range k.Bases {
				fmt.Fprintf(b, "Kind%s, ", base)
			}
			b.WriteString("}")
		}
		if len(k.Enumerants) > 0 {
			fmt.Fprintf(b, ", enumerants: enumerants%s[:], names: enumerantNames%s[:]", k.ident, k.ident)
		}
		b.WriteString("},\n")
	}
	b.WriteString("}\n\n")
	for _, k := range g.kinds {
		if len(k.Enumerants) == 0 {
			continue
		}
		var set *extSet
		for _, s := range g.sets {
			if k.ident == s.kindIdent(k.Name) {
				set = s
			}
		}
		fmt.Fprintf(b, "var enumerants%s = [...]Enumerant{\n", k.ident)
		var rows []nameRow
		for i, e := range k.Enumerants {
			for _, n := range append([]string{e.Name}, e.Aliases...) {
				rows = append(rows, nameRow{n, i})
			}
			fmt.Fprintf(b, "{Name: %q, Value: %d", e.Name, e.value)
			if err := g.fields(b, set, e.Aliases, e.Parameters, e.Capabilities, e.Extensions, e.Version, e.LastVersion, e.Provisional); err != nil {
				return fmt.Errorf("%s %s: %w", k.ident, e.Name, err)
			}
			b.WriteString("},\n")
		}
		fmt.Fprintf(b, "}\n\nvar enumerantNames%s = [...]nameRow{\n", k.ident)
		emitNameIndex(b, rows)
		b.WriteString("}\n\n")
	}
	return nil
}

// camel turns a name of an extended set into the tail of a Go identifier: native_cos → NativeCos.
func camel(s string) string {
	var b strings.Builder
	for _, part := range strings.Split(s, "_") {
		if part != "" {
			b.WriteString(strings.ToUpper(part[:1]) + part[1:])
		}
	}
	return b.String()
}

func emitExtInsts(b *bytes.Buffer, g *grammar) error {
	seen := names{}
	for _, s := range g.sets {
		fmt.Fprintf(b, "// The instructions of %s.\nconst (\n", s.importName)
		for _, in := range s.Instructions {
			id := s.prefix + camel(in.Name)
			if err := seen.add(id, s.importName+" "+in.Name); err != nil {
				return err
			}
			fmt.Fprintf(b, "%s = %d\n", id, in.Opcode)
		}
		b.WriteString(")\n\n")
	}
	b.WriteString("// extInstSets holds the known extended instruction sets.\nvar extInstSets = [...]ExtInstSet{\n")
	for _, s := range g.sets {
		fmt.Fprintf(b, "{Name: %q", s.importName)
		if len(s.aliases) > 0 {
			fmt.Fprintf(b, ", Aliases: %#v", s.aliases)
		}
		if s.family != "" {
			fmt.Fprintf(b, ", family: %q", s.family)
		}
		fmt.Fprintf(b, ", insts: insts%s[:], names: instNames%s[:]},\n", s.prefix, s.prefix)
	}
	b.WriteString("}\n\n")
	for _, s := range g.sets {
		fmt.Fprintf(b, "var insts%s = [...]ExtInst{\n", s.prefix)
		var rows []nameRow
		for i, in := range s.Instructions {
			rows = append(rows, nameRow{in.Name, i})
			fmt.Fprintf(b, "{Number: %d, Name: %q", in.Opcode, in.Name)
			if err := g.fields(b, s, nil, in.Operands, in.Capabilities, nil, "", "", false); err != nil {
				return fmt.Errorf("%s %s: %w", s.importName, in.Name, err)
			}
			b.WriteString("},\n")
		}
		fmt.Fprintf(b, "}\n\nvar instNames%s = [...]nameRow{\n", s.prefix)
		emitNameIndex(b, rows)
		b.WriteString("}\n\n")
	}
	return nil
}
