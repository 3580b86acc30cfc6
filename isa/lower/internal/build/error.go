package build

import (
	"errors"
	"fmt"
	"strings"

	"github.com/lockstep-gpu/lockstep/spirv"
)

// Error says why a module cannot be lowered.
type Error struct {
	Op     string // instruction, as SPIR-V names it; empty when the module as a whole is meant
	Name   string // OpName of its result, if it has one
	ID     spirv.ID
	Word   int // word offset in the module
	Reason string
	// Feature is what OpenCL C calls the thing that is not supported; then Error begins with it. Reason is empty.
	Feature string
}

// Error gives "lower: OpName %12 "x" (word 34): reason", or "lower: feature: OpName %12 "x" (word 34)".
func (e *Error) Error() string {
	s := "lower: "
	if e.Feature != "" {
		s += e.Feature + ": "
	}
	if e.Op != "" {
		s += e.Op + " "
	}
	if e.ID != 0 {
		s += fmt.Sprintf("%%%d ", e.ID)
	}
	if e.Name != "" {
		s += fmt.Sprintf("%q ", e.Name)
	}
	if e.Word != 0 {
		s += fmt.Sprintf("(word %d)", e.Word)
	}
	if e.Feature != "" {
		return strings.TrimRight(s, " :")
	}
	if s == "lower: " {
		return s + e.Reason
	}
	return strings.TrimSuffix(s, " ") + ": " + e.Reason
}

// ErrInternal is wrapped by the error for a module that breaks a rule which
// validation should have caught.
var ErrInternal = errors.New("the module breaks a rule that lowering relies on")

// fail ends the lowering with an error at in. It does not return.
func (m *Module) fail(in spirv.Inst, format string, args ...any) {
	e := &Error{Op: in.Op().String(), ID: in.ResultID(), Word: in.Offset, Reason: fmt.Sprintf(format, args...)}
	e.Name = m.Names[e.ID]
	panic(e)
}

// failFeature ends the lowering for what OpenCL C calls by a name, and in needs.
func (m *Module) failFeature(in spirv.Inst, feature string) {
	e := &Error{Op: in.Op().String(), ID: in.ResultID(), Word: in.Offset, Feature: feature}
	e.Name = m.Names[e.ID]
	panic(e)
}

// failID ends the lowering with an error about an id: at the instruction that defines it, or at the one in
// hand, which uses it.
func (m *Module) failID(id spirv.ID, format string, args ...any) {
	if in, ok := m.Index.Def(id); ok {
		m.fail(in, format, args...)
	}
	reason := fmt.Sprintf(format, args...)
	if m.at.Words != nil {
		m.fail(m.at, "operand %%%d %s", id, reason)
	}
	panic(&Error{ID: id, Name: m.Names[id], Reason: reason})
}
