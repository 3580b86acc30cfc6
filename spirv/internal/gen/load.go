package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
)

// operand is one operand of an instruction or one parameter of an enumerant.
type operand struct {
	Kind       string `json:"kind"`
	Name       string `json:"name"`
	Quantifier string `json:"quantifier"`
}

// instruction is one entry of an "instructions" array, of the core grammar or of an extended set.
type instruction struct {
	Name         string    `json:"opname"`
	Aliases      []string  `json:"aliases"`
	Class        string    `json:"class"`
	Opcode       int       `json:"opcode"`
	Operands     []operand `json:"operands"`
	Capabilities []string  `json:"capabilities"`
	Extensions   []string  `json:"extensions"`
	Version      string    `json:"version"`
	LastVersion  string    `json:"lastVersion"`
	Provisional  bool      `json:"provisional"`
}

// enumerant is one named value of an operand kind.
type enumerant struct {
	Name         string          `json:"enumerant"`
	Aliases      []string        `json:"aliases"`
	RawValue     json.RawMessage `json:"value"`
	Parameters   []operand       `json:"parameters"`
	Capabilities []string        `json:"capabilities"`
	Extensions   []string        `json:"extensions"`
	Version      string          `json:"version"`
	LastVersion  string          `json:"lastVersion"`
	Provisional  bool            `json:"provisional"`

	value uint32
}

// operandKind is one entry of an "operand_kinds" array.
type operandKind struct {
	Category   string      `json:"category"`
	Name       string      `json:"kind"`
	Doc        string      `json:"doc"`
	Bases      []string    `json:"bases"`
	Enumerants []enumerant `json:"enumerants"`

	ident string // Go identifier of the kind, with the prefix of its extended set
}

// grammarFile is the common shape of all grammar files.
type grammarFile struct {
	Instructions []instruction `json:"instructions"`
	OperandKinds []operandKind `json:"operand_kinds"`
}

// extSet is an extended instruction set: its import name, the Go prefix of its constants, its file.
type extSet struct {
	importName string
	aliases    []string
	family     string // import names that start with this belong to the set too
	prefix     string
	file       string

	grammarFile
}

// kindIdent is the Go identifier of an operand kind that the set defines. Some share their name with an
// instruction of the set (DebugTypeQualifier), so the leading Debug goes.
func (s *extSet) kindIdent(name string) string {
	return s.prefix + strings.TrimPrefix(name, "Debug")
}

// grammar is everything that the tables are made from.
type grammar struct {
	instructions []instruction // sorted by opcode
	kinds        []operandKind // core kinds, then those of the extended sets
	sets         []*extSet

	kindIdent map[string]string // core kind name → Go identifier
}

// extSets lists the sets in the order of the generated table.
func extSets() []*extSet {
	return []*extSet{
		{importName: "OpenCL.std", prefix: "OpenCLStd", file: "extinst.opencl.std.100.grammar.json"},
		{importName: "GLSL.std.450", prefix: "GLSLStd450", file: "extinst.glsl.std.450.grammar.json"},
		{importName: "OpenCL.DebugInfo.100", aliases: []string{"SPIRV.debug"}, prefix: "OpenCLDebugInfo100", file: "extinst.opencl.debuginfo.100.grammar.json"},
		{importName: "NonSemantic.Shader.DebugInfo.100", prefix: "ShaderDebugInfo100", file: "extinst.nonsemantic.shader.debuginfo.100.grammar.json"},
		{importName: "NonSemantic.DebugPrintf", prefix: "DebugPrintf", file: "extinst.nonsemantic.debugprintf.grammar.json"},
		{importName: "NonSemantic.ClspvReflection", family: "NonSemantic.ClspvReflection.", prefix: "ClspvReflection", file: "extinst.nonsemantic.clspvreflection.grammar.json"},
		{importName: "NonSemantic.Codeplay.GroupAsyncCopies", aliases: []string{"Codeplay.GroupAsyncCopies"}, prefix: "CodeplayGroupAsyncCopies", file: "extinst.codeplay.groupasynccopies.grammar.json"},
	}
}

func readFile(dir, name string) (grammarFile, error) {
	var f grammarFile
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return f, err
	}
	if err := json.Unmarshal(data, &f); err != nil {
		return f, fmt.Errorf("%s: %w", name, err)
	}
	sort.SliceStable(f.Instructions, func(i, j int) bool { return f.Instructions[i].Opcode < f.Instructions[j].Opcode })
	for i := range f.OperandKinds {
		k := &f.OperandKinds[i]
		for j := range k.Enumerants {
			e := &k.Enumerants[j]
			v, err := strconv.ParseUint(strings.Trim(string(e.RawValue), `"`), 0, 32)
			if err != nil {
				return f, fmt.Errorf("%s: value of %s %s: %w", name, k.Name, e.Name, err)
			}
			e.value = uint32(v)
		}
		sort.SliceStable(k.Enumerants, func(a, b int) bool { return k.Enumerants[a].value < k.Enumerants[b].value })
		for j := 1; j < len(k.Enumerants); j++ {
			if k.Enumerants[j].value == k.Enumerants[j-1].value {
				return f, fmt.Errorf("%s: %s and %s of %s share a value", name, k.Enumerants[j-1].Name, k.Enumerants[j].Name, k.Name)
			}
		}
	}
	return f, nil
}

func load(dir string) (*grammar, error) {
	core, err := readFile(dir, "spirv.core.grammar.json")
	if err != nil {
		return nil, err
	}
	g := &grammar{instructions: core.Instructions, sets: extSets(), kindIdent: map[string]string{}}
	for _, k := range core.OperandKinds {
		k.ident = k.Name
		g.kindIdent[k.Name] = k.ident
		g.kinds = append(g.kinds, k)
	}
	for _, s := range g.sets {
		if s.grammarFile, err = readFile(dir, s.file); err != nil {
			return nil, err
		}
		for i := range s.OperandKinds {
			k := s.OperandKinds[i]
			k.ident = s.kindIdent(k.Name)
			g.kinds = append(g.kinds, k)
		}
	}
	return g, nil
}

// kindOf gives the Go identifier of a kind as named in set s (nil for the core grammar).
func (g *grammar) kindOf(s *extSet, name string) (string, error) {
	if s != nil {
		for _, k := range s.OperandKinds {
			if k.Name == name {
				return s.kindIdent(name), nil
			}
		}
	}
	if id, ok := g.kindIdent[name]; ok {
		return id, nil
	}
	return "", fmt.Errorf("operand kind %q is not in the grammar", name)
}
