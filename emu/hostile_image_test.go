package emu_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
)

// imagePrelude begins a module with a kernel k that takes an image im to read, an image wo to
// write and a pointer p to integers.
const imagePrelude = `OpCapability Addresses
OpCapability Kernel
OpCapability Int64
OpCapability Int16
OpCapability Int8
OpCapability Float16
OpCapability Float64
OpCapability Vector16
OpCapability Linkage
OpCapability ImageBasic
OpCapability ImageReadWrite
OpCapability LiteralSampler
OpCapability Sampled1D
OpCapability SampledBuffer
OpCapability ImageMipmap
OpCapability SubgroupImageBlockIOINTEL
OpCapability SubgroupImageMediaBlockIOINTEL
OpExtension "SPV_INTEL_subgroups"
OpExtension "SPV_INTEL_media_block_io"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %k "k"
%void = OpTypeVoid
%bool = OpTypeBool
%char = OpTypeInt 8 0
%short = OpTypeInt 16 0
%int = OpTypeInt 32 0
%long = OpTypeInt 64 0
%half = OpTypeFloat 16
%float = OpTypeFloat 32
%double = OpTypeFloat 64
%int2 = OpTypeVector %int 2
%int3 = OpTypeVector %int 3
%int4 = OpTypeVector %int 4
%int8 = OpTypeVector %int 8
%int16 = OpTypeVector %int 16
%char16 = OpTypeVector %char 16
%short2 = OpTypeVector %short 2
%long2 = OpTypeVector %long 2
%long4 = OpTypeVector %long 4
%long16 = OpTypeVector %long 16
%bool4 = OpTypeVector %bool 4
%half4 = OpTypeVector %half 4
%float2 = OpTypeVector %float 2
%float4 = OpTypeVector %float 4
%double4 = OpTypeVector %double 4
%double16 = OpTypeVector %double 16
%c0 = OpConstant %int 0
%c1 = OpConstant %int 1
%c2 = OpConstant %int 2
%cmax = OpConstant %int 0x7fffffff
%cmin = OpConstant %int 0x80000000
%l1 = OpConstant %long 1
%lmax = OpConstant %long 0xffffffffffffffff
%s1 = OpConstant %short 1
%f0 = OpConstant %float 0
%at = OpConstantComposite %int2 %c1 %c1
%far = OpConstantComposite %int2 %cmax %cmax
%below = OpConstantComposite %int2 %cmin %cmin
%at3 = OpConstantComposite %int3 %c1 %c1 %c1
%at16 = OpConstantNull %int16
%atf = OpConstantNull %float2
%atl = OpConstantComposite %long2 %l1 %lmax
%ats = OpConstantNull %short2
%t4 = OpConstantComposite %int4 %c1 %c2 %c1 %c2
%tf4 = OpConstantNull %float4
%td4 = OpConstantNull %double4
%th4 = OpConstantNull %half4
%tl16 = OpConstantNull %long16
%pair = OpTypeStruct %int %float
%tpair = OpConstantNull %pair
%tbool4 = OpConstantNull %bool4
%two = OpConstant %int 2
%arr2 = OpTypeArray %int %two
%ptr = OpTypePointer CrossWorkgroup %int
%ro = OpTypeImage %void 2D 0 0 0 0 Unknown ReadOnly
%rw = OpTypeImage %void 2D 0 0 0 0 Unknown ReadWrite
%wr = OpTypeImage %void 2D 0 0 0 0 Unknown WriteOnly
%sampler = OpTypeSampler
%sampled = OpTypeSampledImage %ro
%sconst = OpConstantSampler %sampler Clamp 0 Nearest
%pro = OpTypePointer Function %ro
%cro = OpTypePointer UniformConstant %ro
%kt = OpTypeFunction %void %ro %wr %ptr
`

// imageModule is a module whose kernel does what body says; decls stands before it. A line
// "%y = …" of body gives a number that is stored.
func imageModule(decls, body string) string {
	m := imagePrelude + decls + "%k = OpFunction %void None %kt\n%im = OpFunctionParameter %ro\n%wo = OpFunctionParameter %wr\n%p = OpFunctionParameter %ptr\n" +
		"%entry = OpLabel\n%x = OpLoad %int %p Aligned 4\n" + body + "\n"
	if strings.Contains(body, "%y = ") {
		m += "OpStore %p %y Aligned 4\n"
	}
	return m + "OpReturn\nOpFunctionEnd\n"
}

// hostileSamples adds modules that join images and samplers in ways that make no sense.
func hostileSamples(add func(name, decls, body string), types, coords []string) {
	const joined = "%si = OpSampledImage %sampled %im %sconst\n"
	for _, r := range types {
		inst := "%v = OpImageSampleExplicitLod %" + r + " %si %atf Lod %f0"
		add(inst, "", joined+inst)
		add("sampled "+r, "", "%si = OpSampledImage %"+r+" %im %sconst\n%v = OpImageSampleExplicitLod %float4 %si %atf Lod %f0")
	}
	for _, c := range coords {
		def := ""
		if c == "undefined" {
			def = "%undefined = OpUndef %int2\n"
		}
		for _, operands := range []string{"Lod %f0", "Lod %" + c, "Grad %" + c + " %atf", "Grad %atf %" + c} {
			inst := "%v = OpImageSampleExplicitLod %float4 %si %" + c + " " + operands
			add(inst, "", def+joined+inst)
		}
		add("joined with "+c, "", def+"%si = OpSampledImage %sampled %im %"+c+"\n%v = OpImageSampleExplicitLod %float4 %si %atf Lod %f0")
		add("sampled at "+c, "", def+joined+"%v = OpImageSampleExplicitLod %int4 %"+c+" %atf Lod %f0")
		add("taken out of "+c, "", def+"%other = OpImage %ro %"+c)
	}
	for _, operands := range []string{"None", "Bias %f0", "ConstOffset %at", "Offset %at", "Sample %c1", "MinLod %f0", "Lod|Grad %f0 %atf %atf", "Lod|SignExtend %f0", "Grad|ZeroExtend %atf %atf", "Lod|ConstOffset %f0 %at"} {
		add("sampled with "+operands, "", joined+"%v = OpImageSampleExplicitLod %int4 %si %atf "+operands)
		add("sampled without a level "+operands, "", joined+"%v = OpImageSampleImplicitLod %int4 %si %atf "+operands)
	}
	const sampled = "\n%v = OpImageSampleExplicitLod %float4 %sj %atf Lod %f0"
	add("sampler null", "%snull = OpConstantNull %sampler\n", "%sj = OpSampledImage %sampled %im %snull"+sampled)
	add("sampler undefined", "", "%sundef = OpUndef %sampler\n%sj = OpSampledImage %sampled %im %sundef"+sampled)
	add("sampler from a number", "", "%n = OpUConvert %long %x\n%sn = OpBitcast %sampler %n\n%sj = OpSampledImage %sampled %im %sn"+sampled)
	add("sampled null", "%sj = OpConstantNull %sampled\n", sampled[1:])
	add("sampled undefined", "", "%sj = OpUndef %sampled"+sampled)
	add("sampled copy", "", joined+"%sj = OpCopyObject %sampled %si"+sampled)
	add("sampled select", "", joined+"%b = OpIEqual %bool %x %c1\n%sj = OpSelect %sampled %b %si %si"+sampled)
	add("sampled phi", "", joined+"%b = OpIEqual %bool %x %c1\nOpBranchConditional %b %then %join\n%then = OpLabel\nOpBranch %join\n%join = OpLabel\n%sj = OpPhi %sampled %si %entry %si %then"+sampled)
	add("sampled struct", "%holder = OpTypeStruct %sampled %int\n", joined+"%s = OpCompositeConstruct %holder %si %x\n%sj = OpCompositeExtract %sampled %s 0"+sampled)
	add("sampled array", "%holder = OpTypeArray %sampled %two\n", joined+"%s = OpCompositeConstruct %holder %si %si\n%sj = OpCompositeExtract %sampled %s 1"+sampled)
	add("sampled stored", "%ps = OpTypePointer Function %sampled\n", "%var = OpVariable %ps Function\n"+joined+"OpStore %var %si\n%sj = OpLoad %sampled %var"+sampled)
	add("sampled struct stored", "%holder = OpTypeStruct %sampled %int\n%ps = OpTypePointer Function %holder\n", "%var = OpVariable %ps Function\n"+joined+"%s = OpCompositeConstruct %holder %si %x\nOpStore %var %s\n%t = OpLoad %holder %var\n%sj = OpCompositeExtract %sampled %t 0"+sampled)
	add("sampler stored", "%ps = OpTypePointer Function %sampler\n", "%var = OpVariable %ps Function\nOpStore %var %sconst\n%so = OpLoad %sampler %var\n%sj = OpSampledImage %sampled %im %so"+sampled)
	add("sampler variable", "%ps = OpTypePointer UniformConstant %sampler\n%var = OpVariable %ps UniformConstant %sconst\n", "%so = OpLoad %sampler %var\n%sj = OpSampledImage %sampled %im %so"+sampled)
}

// TestHostileImages uses images in ways that make no sense: each is refused, or runs.
func TestHostileImages(t *testing.T) {
	type module struct{ name, text string }
	var list []module
	add := func(name, decls, body string) { list = append(list, module{name, imageModule(decls, body)}) }
	const stored = "\n%to = OpBitcast %pv %p\nOpStore %to %v Aligned 1"
	types := []string{"int", "char", "short", "long", "half", "float", "double", "bool", "int2", "int3", "int4", "int8", "int16", "char16", "long4", "long16", "half4", "float4", "double4",
		"double16", "bool4", "pair", "arr2", "ptr", "ro", "sampler"}
	coords := []string{"at", "far", "below", "at3", "at16", "atf", "atl", "ats", "c1", "l1", "f0", "tpair", "p", "im", "undefined"}
	for _, r := range types {
		for _, op := range []string{"OpImageRead %%%s %%im %%at", "OpSubgroupImageBlockReadINTEL %%%s %%im %%at", "OpSubgroupImageMediaBlockReadINTEL %%%s %%im %%at %%c2 %%c1",
			"OpImageQuerySizeLod %%%s %%im %%c0", "OpImageQuerySize %%%s %%im", "OpImageQueryOrder %%%s %%im", "OpImageQueryFormat %%%s %%im", "OpImageQueryLevels %%%s %%im", "OpImageQuerySamples %%%s %%im",
			"OpUndef %%%s", "OpBitcast %%%s %%im", "OpImageFetch %%%s %%im %%at", "OpConvertPtrToU %%%s %%im"} {
			inst := fmt.Sprintf(op, r)
			add(inst, "", "%v = "+inst)
			if r != "bool" && r != "bool4" {
				add(inst+", stored", "%pv = OpTypePointer CrossWorkgroup %"+r+"\n", "%v = "+inst+stored)
			}
		}
	}
	for _, c := range coords {
		def := ""
		if c == "undefined" {
			def = "%undefined = OpUndef %int2\n"
		}
		for _, op := range []string{"%%v = OpImageRead %%int4 %%im %%%s", "OpImageWrite %%wo %%%s %%t4", "%%v = OpSubgroupImageBlockReadINTEL %%int8 %%im %%%s", "OpSubgroupImageBlockWriteINTEL %%wo %%%s %%t4",
			"%%v = OpSubgroupImageMediaBlockReadINTEL %%int8 %%im %%%s %%c2 %%c2", "OpSubgroupImageMediaBlockWriteINTEL %%wo %%%s %%c2 %%c2 %%t4"} {
			inst := fmt.Sprintf(op, c)
			decls := ""
			for _, r := range []string{"%int4", "%int8"} {
				if strings.Contains(inst, "INTEL "+r) || strings.Contains(inst, "Read "+r) {
					decls = "%pv = OpTypePointer CrossWorkgroup " + r + "\n"
					inst += stored
				}
			}
			add(inst, decls, def+inst)
		}
	}
	for _, v := range []string{"c1", "s1", "lmax", "f0", "t4", "tf4", "td4", "th4", "tl16", "tpair", "tbool4", "p", "im", "wo"} {
		for _, op := range []string{"OpImageWrite %%wo %%at %%%s", "OpImageWrite %%im %%at %%%s", "OpSubgroupImageBlockWriteINTEL %%wo %%at %%%s", "OpSubgroupImageBlockWriteINTEL %%im %%far %%%s",
			"OpSubgroupImageMediaBlockWriteINTEL %%wo %%at %%c2 %%c2 %%%s"} {
			inst := fmt.Sprintf(op, v)
			add(inst, "", inst)
		}
	}
	for _, size := range []string{"%c0 %c0", "%cmax %cmax", "%cmin %c1", "%c1 %cmin", "%x %x", "%s1 %l1", "%lmax %lmax", "%f0 %c1", "%t4 %c1", "%p %c1", "%im %im"} {
		add("media "+size, "%pv = OpTypePointer CrossWorkgroup %int8\n", "%v = OpSubgroupImageMediaBlockReadINTEL %int8 %im %below "+size+stored+"\nOpSubgroupImageMediaBlockWriteINTEL %wo %far "+size+" %t4")
	}
	for _, operands := range []string{"Lod %c1", "Bias %f0", "Grad %atf %atf", "ConstOffset %at", "Offset %at", "Sample %c1", "MinLod %f0", "Lod|Sample %c1 %c1", "SignExtend", "ZeroExtend|SignExtend", "Nontemporal"} {
		add("operands "+operands, "", "%v = OpImageRead %int4 %im %at "+operands+"\nOpImageWrite %wo %at %t4 "+operands)
	}
	for i, kind := range []string{"%void 1D 0 0 0 0 Unknown", "%void 3D 0 0 0 0 Unknown", "%void Cube 0 0 0 0 Unknown", "%void Rect 0 0 0 0 Unknown", "%void Buffer 0 0 0 0 Unknown", "%void SubpassData 0 0 0 2 Unknown",
		"%void 2D 1 0 0 0 Unknown", "%void 2D 2 0 0 0 Unknown", "%void 2D 0 1 0 0 Unknown", "%void 2D 0 0 1 0 Unknown", "%void 2D 7 7 7 7 Unknown", "%int 2D 0 0 0 0 R32ui", "%float 2D 0 0 0 1 Rgba32f",
		"%pair 2D 0 0 0 0 Unknown", "%double4 2D 0 0 0 0 Unknown", "%void 2D 0 0 0 0 Unknown"} {
		for _, body := range []string{"%v = OpImageRead %int4 %other %at", "%v = OpSubgroupImageBlockReadINTEL %int2 %other %at", "%y = OpImageQueryOrder %int %other", "%v = OpImageQuerySizeLod %int2 %other %c0", ""} {
			m := imagePrelude + "%kind = OpTypeImage " + kind + "\n%okt = OpTypeFunction %void %kind\n%k = OpFunction %void None %okt\n%other = OpFunctionParameter %kind\n%entry = OpLabel\n" +
				strings.Replace(body, "%y", "%v", 1) + "\nOpReturn\nOpFunctionEnd\n"
			list = append(list, module{fmt.Sprintf("kind %d %s", i, body), m})
		}
	}
	hostileSamples(add, types, coords)
	const read = "\n%v = OpImageRead %int4 %other %at\n%e = OpCompositeExtract %int %v 0\nOpStore %p %e Aligned 4"
	add("null", "%other = OpConstantNull %ro\n", read)
	add("undef", "", "%other = OpUndef %ro"+read)
	add("global undef", "%other = OpUndef %ro\n", read)
	add("from a number", "", "%n = OpUConvert %long %x\n%other = OpBitcast %ro %n"+read)
	add("copy", "", "%other = OpCopyObject %ro %im"+read)
	add("select", "", "%b = OpIEqual %bool %x %c1\n%other = OpSelect %ro %b %im %im"+read)
	add("phi", "", "%b = OpIEqual %bool %x %c1\nOpBranchConditional %b %then %join\n%then = OpLabel\nOpBranch %join\n%join = OpLabel\n%other = OpPhi %ro %im %entry %im %then"+read)
	add("equal", "", "%b = OpPtrEqual %bool %im %im")
	add("stored", "", "%var = OpVariable %pro Function\nOpStore %var %im\n%other = OpLoad %ro %var"+read)
	add("stored as a number", "", "%n = OpBitcast %long %im\n%q = OpConvertUToPtr %ptr %n\n%y = OpLoad %int %q Aligned 4")
	add("variable", "%var = OpVariable %cro UniformConstant\n", "%other = OpLoad %ro %var"+read)
	add("struct", "%holder = OpTypeStruct %ro %int\n", "%s = OpCompositeConstruct %holder %im %x\n%other = OpCompositeExtract %ro %s 0"+read)
	add("array", "%holder = OpTypeArray %ro %two\n", "%s = OpCompositeConstruct %holder %im %im\n%other = OpCompositeExtract %ro %s 1"+read)
	add("vector", "%holder = OpTypeVector %ro 2\n", "%s = OpCompositeConstruct %holder %im %im")
	add("sampled", "", "%si = OpSampledImage %sampled %im %sconst\n%v = OpImageSampleExplicitLod %float4 %si %atf Lod %f0")
	add("taken out", "", "%si = OpSampledImage %sampled %im %sconst\n%other = OpImage %ro %si"+read)
	add("texel pointer", "%ip = OpTypePointer Image %int\n", "%tp = OpImageTexelPointer %ip %im %at %c0\n%y = OpAtomicIAdd %int %tp %c1 %c0 %c1")
	add("access chain", "", "%q = OpInBoundsPtrAccessChain %ro %im %l1")
	for i, kind := range []string{"%ro", "%rw", "%wr"} {
		callee := "%ft = OpTypeFunction %int4 " + kind + "\n%g = OpFunction %int4 None %ft\n%gim = OpFunctionParameter " + kind + "\n%ge = OpLabel\n%gv = OpImageRead %int4 %gim %at\nOpReturnValue %gv\nOpFunctionEnd\n"
		add(fmt.Sprint("call ", i), callee, "%v = OpFunctionCall %int4 %g %im")
		add(fmt.Sprint("call of the written one ", i), callee, "%v = OpFunctionCall %int4 %g %wo")
	}
	add("returned", "%ft = OpTypeFunction %ro %ro\n%g = OpFunction %ro None %ft\n%gim = OpFunctionParameter %ro\n%ge = OpLabel\nOpReturnValue %gim\nOpFunctionEnd\n", "%other = OpFunctionCall %ro %g %im"+read)
	add("read of a write-only image", "", "%v = OpImageRead %int4 %wo %at\n%w = OpSubgroupImageBlockReadINTEL %int4 %wo %at")
	d := device(t, emu.DeviceOptions{})
	accepted := 0
	for _, m := range list {
		code, err := asm.Assemble(m.text, asm.Options{})
		if err != nil {
			t.Fatalf("%s: %v", m.name, err)
		}
		if loadAnyhow(t, d, code) != nil {
			accepted++
		}
		runAnyhow(t, code)
		if t.Failed() {
			t.Fatalf("%s", m.name)
		}
	}
	if accepted < 200 {
		t.Errorf("%d of %d modules load, too few to try much", accepted, len(list))
	}
}
