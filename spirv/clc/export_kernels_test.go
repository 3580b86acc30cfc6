package clc

import (
	"context"
	"testing"

	"github.com/lockstep-gpu/lockstep/spirv"
)

// A kernel that other modules may call is a function of its name behind its entry point.
func TestExportKernels(t *testing.T) {
	src := Source{Name: "k.cl", Text: "kernel void k(global int *a) { *a = 1; }"}
	for _, export := range []bool{false, true} {
		res, err := Compile(context.Background(), src, Options{ExportKernels: export})
		if err != nil {
			t.Fatal(err)
		}
		info, err := spirv.Reflect(res.Module)
		if err != nil {
			t.Fatal(err)
		}
		if len(info.EntryPoints) != 1 || len(info.EntryPoints[0].Args) != 1 {
			t.Fatalf("entry points %+v", info.EntryPoints)
		}
		exported := false
		for _, x := range info.Exports {
			exported = exported || x.Name == "k" && x.Function && x.ID != info.EntryPoints[0].ID
		}
		if exported != export {
			t.Errorf("ExportKernels %v: the exports are %+v", export, info.Exports)
		}
	}
}
