#!/bin/sh
# Compiles kernel.clcpp and library.clcpp to modules that have to be linked, with
# clang-15 and llvm-spirv-15 (Debian: clang-15, llvm-spirv-15), without and with
# optimization.
set -eu
cd "$(dirname "$0")"
bc=$(mktemp)
trap 'rm -f "$bc"' EXIT
for level in O0 O2; do
	for f in kernel library; do
		clang-15 -c -x clcpp -cl-std=clc++1.0 -target spir64-unknown-unknown -emit-llvm -$level -gline-tables-only -ffp-contract=off \
			-fdebug-compilation-dir=. -Xclang -finclude-default-header -Wall -Werror "$f.clcpp" -o "$bc"
		llvm-spirv-15 --spirv-ext=+SPV_KHR_linkonce_odr "$bc" -o "$f.$level.spv"
	done
done
