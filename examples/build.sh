#!/bin/sh
# Compiles the examples' OpenCL C to SPIR-V; the results are committed, so only
# those who change a kernel need it. Debian: apt-get install clang-15 llvm-spirv-15
# A line "// extension: NAME" of a source lets the translator use that SPIR-V extension.
set -eu
cd "$(dirname "$0")"
clang=${CLANG:-clang-15}
translate=${LLVM_SPIRV:-llvm-spirv-15}
for source in */*.cl; do
	dir=$(dirname "$source")
	name=$(basename "$source" .cl)
	extension=$(sed -n 's|^// extension: ||p' "$source")
	(cd "$dir" && "$clang" -c -x cl -cl-std=CL2.0 -target spir64-unknown-unknown -emit-llvm -O2 \
		-Wall -Werror -gline-tables-only -fno-discard-value-names -fdebug-compilation-dir=. -Xclang -finclude-default-header \
		"$name.cl" -o "$name.bc" && "$translate" ${extension:+"--spirv-ext=+$extension"} "$name.bc" -o "$name.spv" && rm "$name.bc")
done
