package mux_test

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu/mux"
	"github.com/lockstep-gpu/lockstep/emu/mux/muxtest"
	"github.com/lockstep-gpu/lockstep/internal/verifyeach"
)

func init() { verifyeach.On = true }

// envs has each of lockstep's own compilers.
func envs(t *testing.T) []muxtest.Env {
	t.Helper()
	list, err := mux.Compilers(mux.GetCompilers)
	if err != nil {
		t.Fatal(err)
	}
	var out []muxtest.Env
	for _, info := range list {
		out = append(out, muxtest.Env{Info: info, GetCompilers: mux.GetCompilers})
	}
	if len(out) != 5 {
		t.Fatalf("%d compilers", len(out))
	}
	return out
}

func section(t *testing.T, name string) { muxtest.Section(t, name, envs(t)...) }

// There is a test for each section of the specification that has rules, named after it.

func TestContext(t *testing.T)                    { section(t, "Context") }
func TestInfo(t *testing.T)                       { section(t, "Info") }
func TestInfoCreateTarget(t *testing.T)           { section(t, "Info::createTarget") }
func TestInfoGetBuiltinCapabilities(t *testing.T) { section(t, "Info::getBuiltinCapabilities") }
func TestCompilationOptionsSyntax(t *testing.T)   { section(t, "Compilation Options Syntax") }
func TestEnumeratingCompilerInfos(t *testing.T)   { section(t, "Enumerating compiler::Info's") }

func TestTargetConstructor(t *testing.T)      { section(t, "BaseTarget Constructor") }
func TestTargetInitWithBuiltins(t *testing.T) { section(t, "BaseTarget::initWithBuiltins") }
func TestTargetCreateModule(t *testing.T)     { section(t, "BaseTarget::createModule") }
func TestTargetGetCompilerInfo(t *testing.T)  { section(t, "BaseTarget::getCompilerInfo") }

func TestModuleConstructor(t *testing.T)    { section(t, "BaseModule Constructor") }
func TestModuleClear(t *testing.T)          { section(t, "BaseModule::clear") }
func TestModuleCompileSPIRV(t *testing.T)   { section(t, "BaseModule::compileSPIRV") }
func TestModuleCompileOpenCLC(t *testing.T) { section(t, "BaseModule::compileOpenCLC") }
func TestModuleLink(t *testing.T)           { section(t, "BaseModule::link") }
func TestModuleFinalize(t *testing.T)       { section(t, "BaseModule::finalize") }
func TestModuleGetLateTargetPasses(t *testing.T) {
	section(t, "BaseModule::getLateTargetPasses")
}
func TestModuleCreatePassMachinery(t *testing.T) {
	section(t, "BaseModule::createPassMachinery")
}
func TestModuleInitializePassMachineryForFrontend(t *testing.T) {
	section(t, "BaseModule::initializePassMachineryForFrontend")
}
func TestModuleInitializePassMachineryForFinalize(t *testing.T) {
	section(t, "BaseModule::initializePassMachineryForFinalize")
}
func TestModuleCreateBinary(t *testing.T) { section(t, "BaseModule::createBinary") }
func TestModuleCreateKernel(t *testing.T) { section(t, "BaseModule::createKernel") }
func TestModuleGetKernel(t *testing.T)    { section(t, "BaseModule::getKernel") }
func TestModuleSize(t *testing.T)         { section(t, "BaseModule::size") }
func TestModuleSerialize(t *testing.T)    { section(t, "BaseModule::serialize") }
func TestModuleDeserialize(t *testing.T)  { section(t, "BaseModule::deserialize") }

func TestKernel(t *testing.T)                    { section(t, "Kernel") }
func TestKernelConstructor(t *testing.T)         { section(t, "BaseKernel Constructor") }
func TestKernelPrecacheLocalSize(t *testing.T)   { section(t, "BaseKernel::precacheLocalSize") }
func TestKernelGetDynamicWorkWidth(t *testing.T) { section(t, "BaseKernel::getDynamicWorkWidth") }
func TestKernelCreateSpecializedKernel(t *testing.T) {
	section(t, "BaseKernel::createSpecializedKernel")
}
func TestKernelGetSubGroupSize(t *testing.T) { section(t, "BaseKernel::getSubGroupSize") }
func TestKernelQuerySubGroupSizeForLocalSize(t *testing.T) {
	section(t, "BaseKernel::querySubGroupSizeForLocalSize")
}
func TestKernelQueryLocalSizeForSubGroupCount(t *testing.T) {
	section(t, "BaseKernel::queryLocalSizeForSubGroupCount")
}
func TestKernelQueryMaxSubGroupCount(t *testing.T) {
	section(t, "BaseKernel::queryMaxSubGroupCount")
}

func TestMangling(t *testing.T)           { section(t, "Mangling") }
func TestVectorTypes(t *testing.T)        { section(t, "Vector Types") }
func TestMetadata(t *testing.T)           { section(t, "Metadata") }
func TestFunctionAttributes(t *testing.T) { section(t, "Function Attributes") }

// TestEverySection: no section of the suite goes without a test above.
func TestEverySection(t *testing.T) {
	text, err := os.ReadFile("mux_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range muxtest.Sections() {
		if !strings.Contains(string(text), "section(t, "+strconv.Quote(s)+")") {
			t.Errorf("no test runs the section %q", s)
		}
	}
}
