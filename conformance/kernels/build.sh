#!/bin/sh
# Compiles src/*.cl to spv/*.spv with clang and the LLVM/SPIR-V translator.
#
#   ./build.sh            rebuild every module
#   ./build.sh NAME...    rebuild only these sources (without .cl)
#
# Every source gives NAME.O0.spv and NAME.O2.spv for 64-bit addressing; a
# source with a line "// addressing: 32" also gives NAME.O0.32.spv and
# NAME.O2.32.spv. A source with a line "// lines: yes" carries source positions
# in its 64-bit modules; the rest carries none, since spirv-val refuses the
# debug information of llvm-spirv 15 (a DebugFunction without a declaration). A line
# "// extension: NAME" lets the translator use that SPIR-V extension.
# The output depends on the sources and the tools' versions
# only: paths in the debug information are relative, names are sorted, and
# nothing carries a time. The committed modules come from clang 15.0.6 and
# llvm-spirv 15.0.0; other versions give other, equally valid, modules.
#
# CLANG and LLVM_SPIRV name the tools; without them the oldest pair from
# version 15 upwards that is installed is taken.
set -eu
LC_ALL=C
export LC_ALL

cd "$(dirname "$0")"

find_pair() {
	for v in 15 16 17 18 19 20 21 22; do
		if command -v "clang-$v" >/dev/null 2>&1 && command -v "llvm-spirv-$v" >/dev/null 2>&1; then
			CLANG="clang-$v"
			LLVM_SPIRV="llvm-spirv-$v"
			return 0
		fi
	done
	if command -v clang >/dev/null 2>&1 && command -v llvm-spirv >/dev/null 2>&1; then
		CLANG=clang
		LLVM_SPIRV=llvm-spirv
		return 0
	fi
	echo "build.sh: no clang and llvm-spirv of one version (15 or newer) found; on Debian: apt-get install clang-15 llvm-spirv-15" >&2
	return 1
}

if [ -z "${CLANG:-}" ] || [ -z "${LLVM_SPIRV:-}" ]; then
	find_pair
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
out=$(pwd)/spv
mkdir -p "$out"

# compile SOURCE LEVEL TARGET DEBUG OUTPUT
compile() {
	# Straight-line vectorization makes bit masks of four bits and vector
	# reductions, both of which the translator refuses.
	#
	# Kernels are written as programmers write them: without parentheses around && beside ||.
	#
	# The name of the compilation directory must not reach the module, so the
	# compiler runs inside src and is told that it runs in ".".
	(cd src && "$CLANG" -S -x cl -cl-std=CL2.0 -target "$3" -emit-llvm "$2" "$4" \
		-ffp-contract=off -fno-slp-vectorize -Werror -Wall -Wno-unused-function -Wno-parentheses \
		-Dasync_work_group_copy_2D2D=ASYNC_work_group_copy_2D2D \
		-fdebug-compilation-dir=. -Xclang -finclude-default-header \
		"$1.cl" -o "$work/module.ll")
	awk -f portable.awk "$work/module.ll" >"$work/portable.ll"
	"$CLANG" -c -x ir -target "$3" -emit-llvm -O0 -Xclang -disable-llvm-passes \
		"$work/portable.ll" -o "$work/module.bc"
	extension=$(sed -n 's|^// extension: ||p' "src/$1.cl")
	if ! "$LLVM_SPIRV" ${extension:+"--spirv-ext=+$extension"} --spirv-allow-unknown-intrinsics=llvm.amdgcn "$work/module.bc" -o "$work/module.spv"; then
		echo "build.sh: $LLVM_SPIRV refuses $1 at $2 for $3" >&2
		return 1
	fi
	# The translator takes every name that starts with async_work_group_copy for
	# the copy in one dimension, so those in two hide from it behind a name of
	# the same length.
	sed 's/ASYNC_work_group_copy/async_work_group_copy/g' "$work/module.spv" >"$out/$5"
}

if [ "$#" -gt 0 ]; then
	names=$*
else
	names=$(cd src && ls ./*.cl | sed -e 's|^\./||' -e 's|\.cl$||')
fi

for name in $names; do
	debug=-g0
	if grep -q '^// lines: yes$' "src/$name.cl"; then
		debug=-gline-tables-only
	fi
	for level in O0 O2; do
		compile "$name" "-$level" spir64-unknown-unknown "$debug" "$name.$level.spv"
		if grep -q '^// addressing: 32$' "src/$name.cl"; then
			compile "$name" "-$level" spir-unknown-unknown -g0 "$name.$level.32.spv"
		fi
	done
done
