package conformance

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/spirv/asm"
)

// bent has the cases whose modules break a rule of the specification on purpose, and
// the rule.
var bent = map[string]string{
	"cases/core/image-mipmap":                         "OpImageWrite at a level of detail (cl_khr_mipmap_image_writes), which spirv-val does not know",
	"cases/core/any-all-integer":                      "booleans for OpAny and OpAll",
	"cases/core/block-order":                          "blocks in the order of dominance",
	"cases/core/int-odd-width":                        "widths of integers",
	"cases/core/switch-odd-width":                     "widths of integers",
	"cases/core/bitcast-booleans":                     "widths of integers",
	"cases/core/builtins-beyond":                      "components that a vector has",
	"cases/core/constant-function-storage":            "storage classes of variables outside functions",
	"cases/core/fast-math-default":                    "a capability that older versions of spirv-val do not know",
	"cases/core/phi-after-merge":                      "a merge instruction stands last but one in its block",
	"cases/core/pointer-vector-integer":               "components of vectors are scalars",
	"cases/core/size-of":                              "spirv-val refuses a type as the operand of OpSizeOf, as the specification asks for",
	"cases/core/spec-float":                           "operations of specialization constants that need other capabilities",
	"cases/core/phi-same-parent":                      "one entry of a phi for each parent",
	"cases/core/barrier-split":                        "older versions of spirv-val know another name of the extension",
	"cases/core/pointer-cast":                         "older versions of spirv-val know another name of the extension",
	"cases/core/clock":                                "clocks of scope Workgroup, which cl_khr_kernel_clock has",
	"cases/core/names":                                "scopes of aliases stand outside of functions",
	"cases/isg/refuse-subgroupbufferblockiointel":     "capabilities of the OpenCL environment",
	"cases/isg/refuse-subgroupimageblockiointel":      "capabilities of the OpenCL environment",
	"cases/isg/refuse-subgroupimagemediablockiointel": "capabilities of the OpenCL environment",
	"cases/isg/refuse-subgroupshuffleintel":           "capabilities of the OpenCL environment",
	"cases/core/refuse-instruction":                   "capabilities of the OpenCL environment",
	"cases/gac/refuse-no-kernel":                      "capabilities of the OpenCL environment",
	"cases/pip/refuse-blocking-extension":             "capabilities of the OpenCL environment",
}

// copies matches what spirv-val cannot judge: the import of Codeplay.GroupAsyncCopies
// and its instructions, whose results it would forbid to be used.
var copies = regexp.MustCompile(`(?m)^.* = OpExtInstImport ".*GroupAsyncCopies"\n|OpExtInst %\w+ %(copies|plain) .*$`)

// They match what spirv-val does not know of pipes: that constant storages stand among
// other constants, and that blocking instructions have no result.
var (
	pipeStorages  = regexp.MustCompile(`OpConstantPipeStorage (%\w+) .*`)
	storageValues = regexp.MustCompile(`(OpVariable %\w*storage \w+) %pipe_\w+`)
	blockingPipes = regexp.MustCompile(`(?m)^ *Op(Read|Write)PipeBlockingINTEL .*\n`)
)

// unknown matches what spirv-val says of a module whose extension is newer than itself.
var unknown = regexp.MustCompile(`Invalid (capability operand|opcode|FP encoding operand)`)

// judged is the text of a case as spirv-val can judge it: an event or a storage that comes
// from nowhere stands for each group copy and each constant storage.
func judged(text string) string {
	text = storageValues.ReplaceAllString(pipeStorages.ReplaceAllString(text, "OpUndef $1"), "$1")
	text = blockingPipes.ReplaceAllString(text, "")
	return copies.ReplaceAllStringFunc(text, func(s string) string {
		if strings.HasPrefix(s, "OpExtInst ") {
			return "OpUndef %event"
		}
		return ""
	})
}

// TestToolsValid asks spirv-val whether the modules that are part of cases are valid, for
// OpenCL or, where they use optional capabilities, for SPIR-V. It runs where
// LOCKSTEP_SPIRV_TOOLS is set; SPIRV-Tools must then be installed.
func TestToolsValid(t *testing.T) {
	if os.Getenv("LOCKSTEP_SPIRV_TOOLS") == "" {
		t.Skip("LOCKSTEP_SPIRV_TOOLS is not set")
	}
	cases, err := builtinCases()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "module.spv")
	for _, c := range cases {
		if c.Text == "" {
			continue
		}
		v, _ := asm.TargetEnv("spv" + c.version())
		module, err := asm.Assemble(judged(c.Text), asm.Options{Version: v})
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		if err := os.WriteFile(file, module, 0o666); err != nil {
			t.Fatal(err)
		}
		env := "opencl2.2"
		if c.Version != "" || strings.Contains(c.Text, "OpCapability Float16\n") {
			env = "spv" + c.version()
		}
		out, err := exec.Command("spirv-val", "--target-env", env, file).CombinedOutput()
		if _, ok := err.(*exec.ExitError); err != nil && !ok {
			t.Fatal(err)
		}
		switch rule, bends := bent[c.Name]; {
		case err != nil && unknown.Match(out):
		case err != nil && !bends:
			t.Errorf("%s: %v\n%s", c.Name, err, out)
		case err == nil && bends:
			t.Errorf("%s is valid and is listed as one that bends a rule: %s", c.Name, rule)
		}
	}
}
