#!/bin/sh
# Compiles images.cl with clang and the LLVM/SPIR-V translator (Debian:
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
		-Dcl_intel_subgroups -Dcl_intel_subgroups_short -fdebug-compilation-dir=. images.cl -o "$work/module.bc"
	"$LLVM_SPIRV" --spirv-ext=+SPV_INTEL_subgroups,+SPV_INTEL_media_block_io "$work/module.bc" -o "$level.spv"
done
