package lower_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/lower"
)

// debugText is a kernel that stores, within the scope and behind the inlined
// calls that info declares, %kernelScope, %scope and %at among them.
func debugText(info string) string {
	return `OpCapability Addresses
OpCapability Kernel
OpCapability Linkage
%set = OpExtInstImport "OpenCL.DebugInfo.100"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %entry "k"
%file = OpString "k.cl"
%head = OpString "helper.h"
%kname = OpString "k"
%hname = OpString "helper"
%none = OpString ""
OpName %body "k"
OpName %called "called"
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%ptr = OpTypePointer CrossWorkgroup %uint
%fn = OpTypeFunction %void %ptr
%one = OpConstant %uint 1
%src = OpExtInst %void %set DebugSource %file
%hsrc = OpExtInst %void %set DebugSource %head
%unit = OpExtInst %void %set DebugCompilationUnit 65536 5 %src OpenCL_C
%ft = OpExtInst %void %set DebugTypeFunction None %void
%lost = OpExtInst %void %set DebugInfoNone
%kernelScope = OpExtInst %void %set DebugFunction %kname %ft %src 1 1 %unit %none None 1 %lost
%helperScope = OpExtInst %void %set DebugFunction %hname %ft %hsrc 1 1 %unit %none None 1 %lost
` + info + `
%called = OpFunction %void None %fn
%q = OpFunctionParameter %ptr
%cl = OpLabel
%cs = OpExtInst %void %set DebugScope %scope %at
OpLine %head 7 3
OpStore %q %one Aligned 4
OpReturn
OpFunctionEnd
%body = OpFunction %void None %fn
%p = OpFunctionParameter %ptr
%bl = OpLabel
%bs = OpExtInst %void %set DebugScope %kernelScope
OpLine %file 9 2
%r = OpFunctionCall %void %called %p
OpReturn
OpFunctionEnd
%entry = OpFunction %void None %fn
%e = OpFunctionParameter %ptr
%el = OpLabel
%er = OpFunctionCall %void %body %e
OpReturn
OpFunctionEnd
`
}

// chain writes where the first store of a program stands, and the calls around it.
func chain(p *isa.Program) string {
	k := p.Kernels[0]
	for i := range k.Code {
		if k.Code[i].Op != isa.OpStore {
			continue
		}
		var b strings.Builder
		for at := k.Code[i].Loc; at != 0; at = k.Locs[at].At {
			l := &k.Locs[at]
			fmt.Fprintf(&b, "%s:%d:%d %s\n", p.Files[l.File], l.Line, l.Column, p.Functions[l.Func])
		}
		return b.String()
	}
	return "no store\n"
}

// TestInlinedPlaces holds that a place names its function, and the calls that the
// module's compiler and the lowering inlined, the innermost first.
func TestInlinedPlaces(t *testing.T) {
	for _, c := range []struct{ name, info, want string }{
		{"inlined by both", `%at = OpExtInst %void %set DebugInlinedAt 5 %kernelScope
%block = OpExtInst %void %set DebugLexicalBlock %hsrc 2 2 %helperScope
%scope = OpExtInst %void %set DebugLexicalBlockDiscriminator %hsrc 1 %block`,
			"helper.h:7:3 helper\nk.cl:5:0 k\nk.cl:9:2 k\n"},
		{"inlined twice", `%outer = OpExtInst %void %set DebugInlinedAt 4 %kernelScope
%at = OpExtInst %void %set DebugInlinedAt 5 %helperScope %outer
%scope = OpExtInst %void %set DebugLexicalBlock %hsrc 2 2 %helperScope`,
			"helper.h:7:3 helper\nhelper.h:5:0 helper\nk.cl:4:0 k\nk.cl:9:2 k\n"},
		{"scope that is none", "%scope = OpExtInst %void %set DebugInfoNone\n%at = OpExtInst %void %set DebugInfoNone",
			"helper.h:7:3 called\nk.cl:9:2 k\n"},
	} {
		m := decode(t, debugText(c.info))
		p, err := lower.Program(m, lower.Options{SubgroupSize: 32})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := chain(p); got != c.want {
			t.Errorf("%s:\n%swant\n%s", c.name, got, c.want)
		}
		if err := p.Verify(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestCircularScopes holds that debug information that leads to itself ends.
func TestCircularScopes(t *testing.T) {
	for _, info := range []string{
		"%at = OpExtInst %void %set DebugInlinedAt 5 %kernelScope %at\n%scope = OpExtInst %void %set DebugLexicalBlock %hsrc 2 2 %scope",
		"%scope = OpExtInst %void %set DebugLexicalBlock %hsrc 2 2 %other\n%other = OpExtInst %void %set DebugLexicalBlock %hsrc 2 2 %scope\n" +
			"%at = OpExtInst %void %set DebugInlinedAt 5 %scope %more\n%more = OpExtInst %void %set DebugInlinedAt 6 %at %at",
	} {
		p, err := lower.Program(decode(t, debugText(info)), lower.Options{SubgroupSize: 32})
		if err != nil {
			t.Error(err)
			continue
		}
		if n := strings.Count(chain(p), "\n"); n < 2 || n > 70 {
			t.Errorf("a chain of %d places", n)
		}
		if err := p.Verify(); err != nil {
			t.Error(err)
		}
	}
}
