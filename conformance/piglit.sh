#!/usr/bin/env bash
# Runs piglit's OpenCL profile on lockstep's OpenCL driver, and compares the verdicts with piglit-cl.txt:
#
#	conformance/piglit.sh ICD [-update]
#
# ICD is the absolute path of the driver's file lockstep.icd. With -update the verdicts are written to
# piglit-cl.txt instead. It needs piglit and an ICD loader (the Debian packages piglit and ocl-icd-libopencl1).
set -euo pipefail
[ $# -ge 1 ] && [ -f "$1" ] || { echo "usage: conformance/piglit.sh ICD [-update]" >&2; exit 2; }
icd=$1 update=${2:-}
list=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/piglit-cl.txt
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C

# The test include-directories wants a header that the Debian package leaves out.
export OCL_ICD_VENDORS=$icd
if ! piglit run --exclude-tests include-directories cl "$work/results" </dev/null >"$work/log" 2>&1; then
	tail -n 20 "$work/log"
	exit 1
fi
piglit summary formatted --format '{result} {name}' "$work/results" | sort >"$work/verdicts"
cut -d ' ' -f 1 "$work/verdicts" | sort | uniq -c
if [ "$update" = -update ]; then
	{ grep '^#' "$list" || true; cat "$work/verdicts"; } >"$work/list"
	cp "$work/list" "$list"
	exit
fi
diff <(grep -v '^#' "$list") "$work/verdicts" || {
	echo "verdicts (>) differ from those of conformance/piglit-cl.txt (<)"
	exit 1
}
