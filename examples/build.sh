#!/bin/sh
# Compiles the examples' OpenCL C to SPIR-V; the results are committed, so only
# those who change a kernel need it. Debian: apt-get install clang-15 llvm-spirv-15
#
# llvm-spirv-15 takes every name that starts with async_work_group_copy for the
# copy in one dimension, so those in two hide from it behind a name of the same
# length, which the last step replaces in the module.
#
# A line "// extension: NAME" of a source lets the translator use that SPIR-V extension.
set -eu
LC_ALL=C
export LC_ALL
cd "$(dirname "$0")"
clang=${CLANG:-clang-15}
translate=${LLVM_SPIRV:-llvm-spirv-15}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for source in */*.cl; do
	dir=$(dirname "$source")
	name=$(basename "$source" .cl)
	extension=$(sed -n 's|^// extension: ||p' "$source")
	(cd "$dir" && "$clang" -c -x cl -cl-std=CL2.0 -target spir64-unknown-unknown -emit-llvm -O2 \
		-Wall -Werror -gline-tables-only -fno-discard-value-names -fdebug-compilation-dir=. -Xclang -finclude-default-header \
		-Dasync_work_group_copy_2D2D=ASYNC_work_group_copy_2D2D "$name.cl" -o "$work/k.bc")
	"$translate" --spirv-allow-unknown-intrinsics=llvm.amdgcn ${extension:+"--spirv-ext=+$extension"} "$work/k.bc" -o "$work/k.spv"
	sed 's/ASYNC_work_group_copy/async_work_group_copy/g' "$work/k.spv" >"$dir/$name.spv"
done
