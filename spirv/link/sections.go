package link

import "github.com/lockstep-gpu/lockstep/spirv"

// section is a part of a module's layout (section 2.4).
type section int

const (
	inCapabilities section = iota
	inExtensions
	inImports // of extended instruction sets
	inModel
	inEntries
	inModes
	inStrings // OpString, OpSource …
	inNames
	inProcessed
	inAnnotations
	inGlobals
	inDeclarations // functions without bodies
	inFunctions
	numSections
)

// sectionOf returns where an instruction outside of functions belongs.
func sectionOf(op spirv.Op) section {
	switch op {
	case spirv.OpCapability:
		return inCapabilities
	case spirv.OpExtension:
		return inExtensions
	case spirv.OpExtInstImport:
		return inImports
	case spirv.OpMemoryModel:
		return inModel
	case spirv.OpEntryPoint:
		return inEntries
	case spirv.OpExecutionMode, spirv.OpExecutionModeId:
		return inModes
	case spirv.OpString, spirv.OpSource, spirv.OpSourceContinued, spirv.OpSourceExtension:
		return inStrings
	case spirv.OpName, spirv.OpMemberName:
		return inNames
	case spirv.OpModuleProcessed:
		return inProcessed
	case spirv.OpDecorate, spirv.OpDecorateId, spirv.OpDecorateString, spirv.OpMemberDecorate, spirv.OpMemberDecorateString,
		spirv.OpDecorationGroup, spirv.OpGroupDecorate, spirv.OpGroupMemberDecorate,
		spirv.OpAliasDomainDeclINTEL, spirv.OpAliasScopeDeclINTEL, spirv.OpAliasScopeListDeclINTEL:
		return inAnnotations
	}
	return inGlobals
}

// sections collects the instructions of the result.
type sections struct {
	list [numSections][][]uint32
	// seen has what is in a section where nothing stands twice.
	seen [numSections]map[string]bool
}

func (s *sections) init() {
	for i := range s.seen {
		s.seen[i] = map[string]bool{}
	}
}

// add appends an instruction.
func (s *sections) add(at section, words []uint32) { s.list[at] = append(s.list[at], words) }

// once appends an instruction that is not there yet.
func (s *sections) once(at section, words []uint32) {
	k := string(key(nil, words...))
	if !s.seen[at][k] {
		s.seen[at][k] = true
		s.add(at, words)
	}
}
