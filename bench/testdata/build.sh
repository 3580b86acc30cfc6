#!/bin/sh
# Compiles *.cl to *.spv with clang and the LLVM/SPIR-V translator (CLANG and
# LLVM_SPIRV name them). The committed modules come from clang 15.0.6 and
# llvm-spirv 15.0.0; other versions give other, equally valid, modules.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for source in *.cl; do
	name=$(basename "$source" .cl)
	"${CLANG:-clang-15}" -c -x cl -cl-std=CL2.0 -target spir64-unknown-unknown -emit-llvm -O2 -ffp-contract=off \
		-Wall -Werror -fno-discard-value-names -Xclang -finclude-default-header "$source" -o "$work/k.bc"
	"${LLVM_SPIRV:-llvm-spirv-15}" "$work/k.bc" -o "$name.spv"
done
