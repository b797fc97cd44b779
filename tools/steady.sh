#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the test binary several times beside busy loops and reports every failure: no test may depend on the machine's speed
# or on luck.
# steady.sh [RUNS [LOOPS [PART...]]]: RUNS times (20) beside LOOPS busy loops (6), tests whose name has a PART (all)
runs=${1:-20} loops=${2:-6}
[ $# -lt 2 ] && shift $# || shift 2
build=${B:-build}
export ASSAY_TEST_CACHE="${ASSAY_TEST_CACHE:-$(pwd)/build/cache}" ASSAY_SLOW=1
log=$(mktemp)
pids=
end() {
	[ -z "$pids" ] || kill $pids 2> /dev/null
	rm -f "$log"
}
trap end EXIT
trap 'exit 130' INT TERM

[ -x "$build/test" ] || { echo "no $build/test: run make $build/test first"; exit 2; }
[ -n "${ASSAY_PYTHON:-}" ] || [ ! -x build/venv/bin/python3 ] || export ASSAY_PYTHON="$(pwd)/build/venv/bin/python3"
for i in $(seq "$loops"); do
	sh -c 'while :; do :; done' &
	pids="$pids $!"
done
failures=0
for i in $(seq "$runs"); do
	start=$(date +%s)
	"$build/test" "$@" > "$log" 2>&1
	n=$(grep -c '^FAIL ' "$log")
	failures=$((failures + n))
	[ "$n" = 0 ] || grep -B 12 '^FAIL ' "$log"
	echo "run $i of $runs beside $loops loops: $(tail -n 1 "$log") ($(($(date +%s) - start)) s)"
done
echo "$failures failures in $runs runs"
[ "$failures" = 0 ]
