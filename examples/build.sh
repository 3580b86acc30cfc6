#!/bin/sh
# Compiles the examples' OpenCL C to SPIR-V; the results are committed, so only
# those who change a kernel need it. Debian: apt-get install clang-15 llvm-spirv-15
set -eu
cd "$(dirname "$0")"
clang=${CLANG:-clang-15}
translate=${LLVM_SPIRV:-llvm-spirv-15}
for source in */*.cl; do
	dir=$(dirname "$source")
	name=$(basename "$source" .cl)
	(cd "$dir" && "$clang" -c -x cl -cl-std=CL2.0 -target spir64-unknown-unknown -emit-llvm -O2 \
		-Wall -Werror -gline-tables-only -fno-discard-value-names -fdebug-compilation-dir=. -Xclang -finclude-default-header \
		"$name.cl" -o "$name.bc" && "$translate" "$name.bc" -o "$name.spv" && rm "$name.bc")
done
