package emu_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
)

// imageCallModule is a module whose kernel f(image, global uint *out) calls an
// imported function and stores what it gives, one number after the other; n is
// how many. args are among %im, %at (an int2 of 1, 0), %c2 (the integer 2), %f4, %i4, %h4 and %i1.
func imageCallModule(name, access, result string, n int, args ...string) string {
	types := map[string]string{"%im": "%image", "%at": "%int2", "%c2": "%uint", "%f4": "%float4", "%i4": "%int4", "%h4": "%half4", "%i1": "%uint"}
	var b strings.Builder
	fmt.Fprintf(&b, "OpCapability Addresses\nOpCapability Kernel\nOpCapability Linkage\nOpCapability Int64\nOpCapability Float16\nOpCapability ImageBasic\nOpCapability ImageReadWrite\n"+
		"OpMemoryModel Physical64 OpenCL\nOpEntryPoint Kernel %%f \"f\"\nOpDecorate %%callee LinkageAttributes %q Import\n", name)
	fmt.Fprintf(&b, "%%void = OpTypeVoid\n%%uint = OpTypeInt 32 0\n%%ulong = OpTypeInt 64 0\n%%float = OpTypeFloat 32\n%%half = OpTypeFloat 16\n%%int2 = OpTypeVector %%uint 2\n%%int4 = OpTypeVector %%uint 4\n"+
		"%%float4 = OpTypeVector %%float 4\n%%half4 = OpTypeVector %%half 4\n%%image = OpTypeImage %%void 2D 0 0 0 0 Unknown %s\n%%pg = OpTypePointer CrossWorkgroup %%uint\n", access)
	fmt.Fprintf(&b, "%%c0 = OpConstant %%uint 0\n%%c1 = OpConstant %%uint 1\n%%c2 = OpConstant %%uint 2\n%%c7 = OpConstant %%uint 7\n%%c300 = OpConstant %%uint 300\n%%half1 = OpConstant %%float 0.5\n%%hh = OpConstant %%half 0.5\n"+
		"%%at = OpConstantComposite %%int2 %%c1 %%c0\n%%f4 = OpConstantComposite %%float4 %%half1 %%half1 %%half1 %%half1\n%%h4 = OpConstantComposite %%half4 %%hh %%hh %%hh %%hh\n%%i4 = OpConstantComposite %%int4 %%c7 %%c300 %%c7 %%c7\n")
	for i := range 4 {
		fmt.Fprintf(&b, "%%l%d = OpConstant %%ulong %d\n", i, i)
	}
	b.WriteString("%fn = OpTypeFunction %void %image %pg\n%callfn = OpTypeFunction " + result)
	for _, a := range args {
		b.WriteString(" " + types[a])
	}
	fmt.Fprintf(&b, "\n%%callee = OpFunction %s None %%callfn\n", result)
	for i, a := range args {
		fmt.Fprintf(&b, "%%cp%d = OpFunctionParameter %s\n", i, types[a])
	}
	fmt.Fprintf(&b, "OpFunctionEnd\n%%f = OpFunction %%void None %%fn\n%%im = OpFunctionParameter %%image\n%%out = OpFunctionParameter %%pg\n%%entry = OpLabel\n%%r = OpFunctionCall %s %%callee", result)
	for _, a := range args {
		b.WriteString(" " + strings.Replace(a, "%i1", "%c7", 1))
	}
	b.WriteByte('\n')
	scalar := map[string]string{"%float4": "%float", "%half4": "%half", "%int2": "%uint", "%int4": "%uint"}[result]
	for i := range n {
		v := "%r"
		if scalar != "" {
			v = fmt.Sprintf("%%e%d", i)
			fmt.Fprintf(&b, "%s = OpCompositeExtract %s %%r %d\n", v, scalar, i)
		}
		switch scalar {
		case "%half":
			fmt.Fprintf(&b, "%%w%d = OpFConvert %%float %s\n", i, v)
			v, scalar = fmt.Sprintf("%%w%d", i), "%float"
			fallthrough
		case "%float":
			fmt.Fprintf(&b, "%%b%d = OpBitcast %%uint %s\n", i, v)
			v = fmt.Sprintf("%%b%d", i)
		}
		if result == "%half4" {
			scalar = "%half"
		}
		fmt.Fprintf(&b, "%%p%d = OpInBoundsPtrAccessChain %%pg %%out %%l%d\nOpStore %%p%d %s\n", i, i, i, v)
	}
	b.WriteString("OpReturn\nOpFunctionEnd\n")
	return b.String()
}

// TestImageNames calls the functions of images by the names that compilers leave.
func TestImageNames(t *testing.T) {
	unorm, integer := rgba8(emu.UnormInt8), rgba8(emu.SignedInt8)
	texels := []byte{9, 9, 9, 9, 255, 0, 254, 1}
	for _, c := range []struct {
		name, access, result string
		args                 string
		format               emu.Format
		out                  []uint32 // what the function gives
		pixel                []byte   // what the texel at (1,0) becomes
	}{
		{"_Z11read_imagef14ocl_image2d_roDv2_i", "ReadOnly", "%float4", "%im %at", emu.Format{Order: emu.OrderRGBA, Type: emu.SnormInt8}, []uint32{0xbc010204, 0, 0xbc810204, 0x3c010204}, nil},
		{"_Z11read_imageh14ocl_image2d_roDv2_i", "ReadOnly", "%half4", "%im %at", unorm, []uint32{0x3f800000, 0, 0x3f7f0000, 0x3b808000}, nil},
		{"_Z11read_imagei14ocl_image2d_roDv2_i", "ReadOnly", "%int4", "%im %at", integer, []uint32{1<<32 - 1, 0, 1<<32 - 2, 1}, nil},
		{"_Z12read_imageui14ocl_image2d_roDv2_i", "ReadOnly", "%int4", "%im %at", rgba8(emu.UnsignedInt8), []uint32{255, 0, 254, 1}, nil},
		{"_Z12write_imagef14ocl_image2d_woDv2_iDv4_f", "WriteOnly", "%void", "%im %at %f4", unorm, nil, []byte{128, 128, 128, 128}},
		{"_Z12write_imageh14ocl_image2d_woDv2_iDv4_Dh", "WriteOnly", "%void", "%im %at %h4", unorm, nil, []byte{128, 128, 128, 128}},
		{"_Z12write_imagei14ocl_image2d_woDv2_iDv4_i", "WriteOnly", "%void", "%im %at %i4", integer, nil, []byte{7, 127, 7, 7}},
		{"_Z13write_imageui14ocl_image2d_woDv2_iDv4_j", "WriteOnly", "%void", "%im %at %i4", rgba8(emu.UnsignedInt8), nil, []byte{7, 255, 7, 7}},
		{"_Z15get_image_width14ocl_image2d_ro", "ReadOnly", "%uint", "%im", unorm, []uint32{2}, nil},
		{"_Z16get_image_height14ocl_image2d_ro", "ReadOnly", "%uint", "%im", unorm, []uint32{1}, nil},
		{"_Z13get_image_dim14ocl_image2d_ro", "ReadOnly", "%int2", "%im", unorm, []uint32{2, 1}, nil},
		{"_Z23get_image_channel_order14ocl_image2d_ro", "ReadOnly", "%uint", "%im", unorm, []uint32{0x10b5}, nil},
		{"_Z27get_image_channel_data_type14ocl_image2d_ro", "ReadOnly", "%uint", "%im", unorm, []uint32{0x10d2}, nil},
		{"_Z26intel_sub_group_block_read14ocl_image2d_roDv2_i", "ReadOnly", "%uint", "%im %at", unorm, []uint32{0xff090909}, nil},
		{"_Z27intel_sub_group_block_write14ocl_image2d_woDv2_ij", "WriteOnly", "%void", "%im %at %i1", unorm, nil, []byte{0, 0, 254, 1}},
		{"_Z34intel_sub_group_media_block_read_uiDv2_iii14ocl_image2d_ro", "ReadOnly", "%uint", "%at %c2 %c2 %im", unorm, []uint32{0xff090909}, nil},
		{"_Z35intel_sub_group_media_block_write_uiDv2_iiij14ocl_image2d_wo", "WriteOnly", "%void", "%at %c2 %c2 %i1 %im", unorm, nil, []byte{0, 0, 254, 1}},
	} {
		d := device(t, emu.DeviceOptions{SubgroupSize: 1})
		text := imageCallModule(c.name, c.access, c.result, len(c.out), strings.Fields(c.args)...)
		module, err := asm.Assemble(text, asm.Options{})
		if err != nil {
			t.Fatalf("%s: %v\n%s", c.name, err, text)
		}
		p, err := d.NewProgram(module, emu.ProgramOptions{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		k, err := p.Kernel("f")
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		im := newImage(t, d, 2, 1, c.format, texels)
		out := buffer(t, d, make([]uint32, 4)...)
		mustRun(t, &emu.Launch{Kernel: k, Range: emu.Range(1), Args: []emu.Arg{im, out}})
		if c.out != nil {
			if got := contents[uint32](t, out)[:len(c.out)]; !slices.Equal(got, c.out) {
				t.Errorf("%s: %#x, want %#x", c.name, got, c.out)
			}
		} else if got := imageBytes(t, im)[4:]; !slices.Equal(got, c.pixel) {
			t.Errorf("%s: %v, want %v", c.name, got, c.pixel)
		}
	}
	d := device(t, emu.DeviceOptions{})
	for _, name := range []string{"_Z11read_imagex14ocl_image2d_roDv2_i", "_Z11read_imagef14ocl_image3d_ro11ocl_samplerDv2_f"} {
		text := imageCallModule(name, "ReadOnly", "%float4", 4, "%im", "%at", "%i1")
		module, err := asm.Assemble(text, asm.Options{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := d.NewProgram(module, emu.ProgramOptions{})
		if err == nil {
			_, err = p.Kernel("f")
		}
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
