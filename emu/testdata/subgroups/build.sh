#!/bin/sh
# Compiles subgroups.cl with clang and the LLVM/SPIR-V translator (Debian:
# apt-get install clang-15 llvm-spirv-15). clang's own table of built-in
# functions lacks those of Intel's sub-groups, so its header is included.
set -eu
cd "$(dirname "$0")"
: "${CLANG:=clang-15}" "${LLVM_SPIRV:=llvm-spirv-15}"
header=$("$CLANG" -print-resource-dir)/include/opencl-c.h
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for level in O0 O2; do
	"$CLANG" -c -x cl -cl-std=CL2.0 -target spir64-unknown-unknown -emit-llvm "-$level" -gline-tables-only \
		-ffp-contract=off -fno-slp-vectorize -cl-no-stdinc -include "$header" \
		-Dcl_intel_subgroups -Dcl_intel_subgroups_short -Dcl_khr_subgroups -Dcl_khr_subgroup_ballot \
		-Dcl_khr_subgroup_non_uniform_vote -Dcl_khr_subgroup_non_uniform_arithmetic -Dcl_khr_subgroup_shuffle \
		-Dcl_khr_subgroup_shuffle_relative -Dcl_khr_subgroup_clustered_reduce \
		-fdebug-compilation-dir=. subgroups.cl -o "$work/module.bc"
	"$LLVM_SPIRV" --spirv-ext=+SPV_INTEL_subgroups "$work/module.bc" -o "$level.spv"
done
