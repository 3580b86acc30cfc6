package emu

import "github.com/lockstep-gpu/lockstep/isa"

// nullArg is a null pointer.
type nullArg struct{}

// Null is a null pointer.
func Null() Arg { return argument{kind: nullArg{}} }

func (nullArg) describe(*argument) string { return "a null pointer" }

func (nullArg) suits(p *isa.Param) bool { return p.Kind == isa.ParamGlobal }

func (nullArg) check(*argument, *Kernel, *isa.Param) (string, error) { return "", nil }

func (nullArg) fill(*prepared, int) (uint64, error) { return 0, nil }
