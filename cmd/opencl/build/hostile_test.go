//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var prototype = regexp.MustCompile(`(?m)^(.*?) ?CL_API_CALL (\w+)\((.*)\);$`)

// choices are what a parameter of a type gets, in C; %d is its number.
var choices = map[string]string{
	"cl_context": "handle(CONTEXT)", "cl_command_queue": "handle(QUEUE)", "cl_mem": "handle(MEM)", "cl_program": "handle(PROGRAM)",
	"cl_kernel": "handle(KERNEL)", "cl_event": "handle(EVENT)", "cl_sampler": "handle(SAMPLER)", "cl_command_buffer_khr": "handle(COMMANDS)",
	"cl_semaphore_khr": "handle(SEMAPHORE)", "cl_device_id": "handle(DEVICE)", "cl_platform_id": "handle(PLATFORM)",

	"const_cl_event *": "array(EVENT, %d)", "const_cl_device_id *": "array(DEVICE, %d)", "const_cl_mem *": "array(MEM, %d)",
	"const_cl_program *": "array(PROGRAM, %d)", "const_cl_command_queue *": "array(QUEUE, %d)", "cl_command_queue *": "array(QUEUE, %d)",
	"const_cl_semaphore_khr *": "array(SEMAPHORE, %d)", "const_cl_semaphore_payload_khr *": "MAYBE(scratch(%d))",
	"const_cl_sync_point_khr *": "wild ? NULL : extents(%d, 1)",

	"cl_event *": "MAYBE(&event)", "cl_int *": "MAYBE(scratch(%d))", "size_t *": "MAYBE(scratch(%d))", "cl_uint *": "MAYBE(scratch(%d))",
	"cl_ulong *": "MAYBE(scratch(%d))", "cl_device_id *": "MAYBE(scratch(%d))", "cl_platform_id *": "MAYBE(scratch(%d))",
	"cl_kernel *": "MAYBE(scratch(%d))", "cl_image_format *": "MAYBE(scratch(%d))", "cl_command_queue_properties *": "MAYBE(scratch(%d))",
	"cl_sync_point_khr *": "MAYBE(scratch(%d))", "cl_mutable_command_khr *": "r(9) == 0 ? scratch(%d) : NULL",

	"size_t": "size()", "cl_uint": "count()", "cl_ulong": "address()", "cl_bool": "r(3)", "cl_int": "(cl_int)r(8) - 3",
	"const_size_t *": "extents(%d, 0)", "const_char *": "text()", "string *": "texts(%d)", "const_bytes *": "binaries(%d)",
	"const_cl_image_desc *": "desc(%d)", "const_cl_image_format *": "format(%d)", "void **": "pointers(%d)", "const_pointer *": "pointers(%d)",
	"void *": "memory()", "const_pointer": "memory()",

	"context_notify": "MAYBE(on_context)", "context_destroyed": "MAYBE(on_context_end)", "program_notify": "MAYBE(on_program)",
	"memory_destroyed": "MAYBE(on_memory_end)", "event_notify": "MAYBE(on_event)", "native_kernel": "MAYBE(on_native)", "svm_free": "MAYBE(on_free)",
}

// exceptions are choices for parameters of some functions.
var exceptions = map[string]string{
	"clSetKernelArg size": "argument_size()", "clSetKernelArg value": "value(%d)", "clCreateSubBuffer info": "sizes(%d, 0)",
	"clSetKernelExecInfo value": "properties(%d)", "clSetKernelExecInfo size": "wild ? size() : 8 * r(4)",
	"clEnqueueNativeKernel args": "MAYBE(scratch(%d))", "clEnqueueNativeKernel size": "wild ? size() : 8 * r(8)", "clEnqueueNativeKernel n": "wild ? count() : r(2)",
	"clCreateProgramWithSource lengths": "sizes(%d, !wild)", "clCreateProgramWithBinary lengths": "sizes(%d, !wild)",
	"clCreateProgramWithIL il": "r(2) == 0 ? binary + 12 : memory()", "clCreateProgramWithIL size": "wild ? size() : r(2) == 0 ? binary_size - 12 : size()",
	// Launches of sizes that are too large are right, and take too long.
	"clEnqueueNDRangeKernel global": "extents(%d, 1)", "lockstepCommandNDRangeKernel global": "extents(%d, 1)",
	"clEnqueueSVMMigrateMem sizes": "wild ? NULL : sizes(%d, 0)",
	"clEnqueueUnmapMemObject p":    "r(3) == 0 ? memory() : mapped[r(POOL)]",
	"clCreatePipe packets":         "wild ? count() : r(64)",
	// No more of an image than the host has.
	"clCreateImage2D height": "r(20)", "clCreateImage3D height": "r(20)", "clCreateImage3D depth": "r(20)",
}

// argument is what a function gets for a parameter.
func argument(function, ctype, name string, i int) (string, error) {
	choice, ok := exceptions[function+" "+name]
	if !ok {
		choice, ok = choices[ctype]
	}
	svm := strings.Contains(function, "SVM") || strings.HasSuffix(function, "INTEL")
	freed := strings.Contains(function, "Free") || strings.HasPrefix(function, "clSet") || strings.HasPrefix(function, "clGet")
	switch {
	case svm && (name == "p" || name == "dst" || name == "src" || name == "pointer"):
		choice = fmt.Sprintf("svm(%v)", map[bool]int{true: 1}[freed])
	case name == "value" && strings.Contains(function, "Info") && strings.HasPrefix(function, "clGet"), name == "value" && strings.Contains(function, "GetCommandBufferInfo"):
		choice = "MAYBE(memory())"
	case ok:
	case strings.HasSuffix(ctype, "properties *") || strings.HasSuffix(ctype, "property *") || strings.HasSuffix(ctype, "properties_intel *"):
		choice = "properties(%d)"
	case strings.Contains(ctype, "flags") || strings.HasSuffix(ctype, "properties") || ctype == "cl_device_type":
		choice = "flags()"
	case strings.HasSuffix(ctype, "_info") || strings.HasSuffix(ctype, "_info_khr") || strings.HasSuffix(ctype, "_info_intel") ||
		strings.HasSuffix(ctype, "_type") || strings.HasSuffix(ctype, "_mode") || ctype == "cl_mem_advice_intel":
		choice = "name()"
	default:
		return "", fmt.Errorf("%s: nothing to choose for the parameter %s %s", function, ctype, name)
	}
	return strings.ReplaceAll(choice, "%d", fmt.Sprint(i)), nil
}

// keeps are what becomes of a result.
var keeps = map[string]string{
	"cl_context": "keep(CONTEXT, %s)", "cl_command_queue": "keep(QUEUE, %s)", "cl_mem": "keep(MEM, %s)", "cl_program": "keep(PROGRAM, %s)",
	"cl_kernel": "keep(KERNEL, %s)", "cl_event": "keep_user(%s)", "cl_sampler": "keep(SAMPLER, %s)", "cl_command_buffer_khr": "keep(COMMANDS, %s)",
	"cl_semaphore_khr": "keep(SEMAPHORE, %s)",
}

// hostileProgram writes a program that calls the functions of prototypes at random.
func hostileProgram(prototypes string) (string, error) {
	var b strings.Builder
	list := prototype.FindAllStringSubmatch(prototypes, -1)
	b.WriteString("#define LOCKSTEP_NAMES_OF_OPENCL\n#include \"opencl.h\"\n#include \"entries.h\"\n#include \"hostile.h\"\n\n")
	fmt.Fprintf(&b, "static const unsigned calls = %d;\n\nstatic void call_at_random(unsigned which) {\n\tcl_event event = NULL;\n\tswitch (which) {\n", len(list))
	for i, m := range list {
		result, function := m[1], m[2]
		var args []string
		for j, p := range strings.Split(m[3], ", ") {
			if p == "void" {
				break
			}
			at := strings.LastIndexAny(p, " *") + 1
			arg, err := argument(function, strings.TrimSpace(p[:at]), p[at:], j)
			if err != nil {
				return "", err
			}
			args = append(args, arg)
		}
		call := function + "(" + strings.Join(args, ", ") + ")"
		switch {
		case keeps[result] != "":
			call = fmt.Sprintf(keeps[result], call)
		case strings.Contains(function, "Map"):
			call = "mapped[r(POOL)] = " + call
		case strings.Contains(function, "Alloc") && result == "void *":
			call = "{\n\t\tvoid *p = " + call + ";\n\t\tif (p != NULL)\n\t\t\tto_free[r(POOL)] = p;\n\t}"
		}
		fmt.Fprintf(&b, "\tcase %d:\n\t\t%s;\n\t\tbreak;\n", i, call)
	}
	b.WriteString("\t}\n\tkeep(EVENT, event);\n}\n")
	return b.String(), nil
}

// TestHostile calls all functions with valid, released, foreign and null handles and with sizes, names and flags at
// random, from one thread and from several. The driver must neither crash nor hang. LOCKSTEP_OPENCL_CALLS=1000000 makes
// that many calls with each of more seeds.
func TestHostile(t *testing.T) {
	need(t)
	program := compiledHostile(t, built.library)
	calls, seeds := os.Getenv("LOCKSTEP_OPENCL_CALLS"), 20
	if calls == "" {
		calls, seeds = "10000", 2
	}
	for seed := 1; seed <= seeds; seed++ {
		for _, threads := range []string{"1", "4"} {
			out, err := limited(t, []string{"LOCKSTEP_OPTIONS=-q -log /dev/null"}, program, calls, fmt.Sprint(seed), threads)
			if err != nil || !strings.HasSuffix(out, "ok\n") {
				t.Errorf("seed %d, %s threads: %v\n%s", seed, threads, err, out[:min(len(out), 6000)])
			}
		}
	}
}

// compiledHostile generates the program that calls all functions, and links it with a library.
func compiledHostile(t *testing.T, library string) string {
	t.Helper()
	text, err := os.ReadFile("../entries.h")
	if err != nil {
		t.Fatal(err)
	}
	source, err := hostileProgram(string(text))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "hostile")
	if err := os.WriteFile(program+".c", []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("cc", "-g", "-w", "-pthread", "-I..", "-Itestdata", "-o", program, program+".c", library).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}
