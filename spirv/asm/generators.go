package asm

// generators are the tools of the Khronos registry (spir-v.xml of SPIRV-Headers,
// "vendor" ids), by number from 0 up. Numbers without a tool are empty.
var generators = [...]string{
	0:  "Khronos",
	1:  "LunarG",
	2:  "Valve",
	3:  "Codeplay",
	4:  "NVIDIA",
	5:  "ARM",
	6:  "Khronos LLVM/SPIR-V Translator",
	7:  "Khronos SPIR-V Tools Assembler",
	8:  "Khronos Glslang Reference Front End",
	9:  "Qualcomm",
	10: "AMD",
	11: "Intel",
	12: "Imagination",
	13: "Google Shaderc over Glslang",
	14: "Google spiregg",
	15: "Google rspirv",
	16: "X-LEGEND Mesa3D GLSL-IR/SPIR-V Translator",
	17: "Khronos SPIR-V Tools Linker",
	18: "Wine VKD3D Shader Compiler",
	19: "Tellusim Clay Shader Compiler",
	20: "W3C WebGPU Group WHLSL Shader Translator",
	21: "Google Clspv",
	22: "LLVM MLIR SPIR-V Serializer",
	23: "Google Tint Compiler",
	24: "Google ANGLE Shader Compiler",
	25: "Netease Games Messiah Shader Compiler",
	26: "Xenia Xenia Emulator Microcode Translator",
	27: "Embark Studios Rust GPU Compiler Backend",
	28: "gfx-rs community Naga",
	29: "Mikkosoft Productions MSP Shader Compiler",
	30: "SpvGenTwo community SpvGenTwo SPIR-V IR Tools",
	31: "Google Skia SkSL",
	32: "TornadoVM Beehive SPIRV Toolkit",
	33: "DragonJoker ShaderWriter",
	34: "Rayan Hatout SPIRVSmith",
	35: "Saarland University Shady",
	36: "Taichi Graphics Taichi",
	37: "heroseh Hero C Compiler",
	38: "Meta SparkSL",
	39: "SirLynix Nazara ShaderLang Compiler",
	40: "Khronos Slang Compiler",
	41: "Zig Software Foundation Zig Compiler",
	42: "Rendong Liang spq",
	43: "LLVM LLVM SPIR-V Backend",
	44: "Robert Konrad Kongruent",
	45: "Kitsunebi Games Nuvk SPIR-V Emitter and DLSL compiler",
	46: "Nintendo",
	47: "ARM",
	48: "Goopax",
	49: "Icyllis Milica Arc3D Shader Compiler",
	50: "Isochron Pred",
	51: "apilatosba Apila Jai Compiler",
}

// GeneratorName gives the registered name of the tool whose number is in the high
// half of the generator word of a module header; ok is false when there is none.
func GeneratorName(tool uint16) (name string, ok bool) {
	if int(tool) >= len(generators) || generators[tool] == "" {
		return "", false
	}
	return generators[tool], true
}
