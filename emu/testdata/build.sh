#!/bin/sh
# Compiles *.cl to *.spv with clang-15 and llvm-spirv-15 (Debian: clang-15,
# llvm-spirv-15). The modules carry the names of arguments and the lines of the
# source; their bytes depend on the sources and the tools' versions only.
set -eu
cd "$(dirname "$0")"
bc=$(mktemp)
trap 'rm -f "$bc"' EXIT
# compile SOURCE TARGET OUTPUT [LEVEL]
compile() {
	std=-cl-std=CL2.0
	if grep -q '^// options: -cl-std=CL1.2$' "$1"; then
		std=-cl-std=CL1.2
	fi
	clang-15 -c -x cl "$std" -target "$2" -emit-llvm "${4:--O1}" -gline-tables-only -ffp-contract=off \
		-fno-discard-value-names -fdebug-compilation-dir=. -Xclang -finclude-default-header -Wall -Werror "$1" -o "$bc"
	llvm-spirv-15 --spirv-allow-unknown-intrinsics=llvm.amdgcn "$bc" -o "$3"
}

for f in *.cl; do
	compile "$f" spir64-unknown-unknown "${f%.cl}.spv"
done
compile launch.cl spir-unknown-unknown launch.32.spv
compile inline.cl spir64-unknown-unknown inline.O0.spv -O0
compile printfs.cl spir64-unknown-unknown printfs.O0.spv -O0
compile strings12.cl spir64-unknown-unknown strings12.O0.spv -O0
