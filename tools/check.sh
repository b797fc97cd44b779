#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the stages of `make test`, `make check`, `make asan`, `make fuzz`, and adds up what they say.
# check.sh STAGE BUILD_DIR [FILTER | SECONDS]
stage=$1 build=$2 arg=${3:-}
passed=0 failed=0 skipped=0
export ASSAY_TEST_CACHE="${ASSAY_TEST_CACHE:-$(pwd)/build/cache}" # kernels are compiled once for all stages
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# run NAME COMMAND...: a stage counts by its closing line, or as one test by its exit status
run() {
	name=$1
	shift
	echo "== $name"
	start=$(date +%s)
	"$@" > "$log" 2>&1
	status=$?
	line=$(grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$log" | tail -n 1)
	grep -vE '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$log" | tail -n 200
	if [ -n "$line" ]; then
		set -- $line
		passed=$((passed + $1)) failed=$((failed + $3)) skipped=$((skipped + $5))
		[ "$status" = 0 ] || [ "$3" != 0 ] || failed=$((failed + 1))
	elif [ "$status" = 77 ]; then
		skipped=$((skipped + 1))
	elif [ "$status" = 0 ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1)) line="failed"
	fi
	echo "   $name: ${line:-ok} ($(($(date +%s) - start)) s)"
}

# One target, its output in a file of its own: several run at once.
fuzz_one() {
	target=$1 seconds=$2 dir=$build/fuzz/corpus-$(basename "$1") out=$build/fuzz/$(basename "$1").log
	mkdir -p "$dir"
	sh tools/seeds.sh "$(basename "$1")" "$dir"
	"$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=4096 -print_final_stats=1 \
		-artifact_prefix="$build/fuzz/" "$dir" > "$out" 2>&1
	echo $? > "$out.status"
}

fuzz_said() {
	out=$build/fuzz/$(basename "$1").log status=$(cat "$build/fuzz/$(basename "$1").log.status")
	grep -E 'stat::number_of_executed_units|ERROR|SUMMARY' "$out"
	[ "$status" = 0 ] || tail -n 40 "$out"
	rm -f "$out" "$out.status"
	[ "$status" = 0 ] # libFuzzer's own status of a crash is 77, which here would be a skip
}

# As many targets at once as there are cores.
fuzz_all() {
	waiting=
	for t in "$build"/fuzz/*; do
		[ -f "$t" ] && [ -x "$t" ] || continue
		fuzz_one "$t" "$1" &
		waiting="$waiting $t"
		[ "$(echo "$waiting" | wc -w)" -lt "$(nproc)" ] || fuzz_wait "$1"
	done
	fuzz_wait "$1"
}

fuzz_wait() {
	wait
	for w in $waiting; do
		run "fuzz $(basename "$w"), $1 s" fuzz_said "$w"
	done
	waiting=
}

unit() { # [FILTER]
	if [ -n "$arg" ]; then run "tests $arg" "$build/test" "$arg"; else run tests "$build/test"; fi
}

# Tests of Python kernels need an interpreter with torch: the caller's, else that of build/venv; else they skip, and
# ASSAY_NO_TORCH says why.
use_venv() {
	if sh tools/venv.sh build/venv look > /dev/null; then
		export ASSAY_PYTHON="$(pwd)/build/venv/bin/python3"
	else
		export ASSAY_NO_TORCH="${1:-$(sh tools/venv.sh build/venv look)}"
	fi
}

case $stage in
test)
	make -s -j"$(nproc)" B="$build" "$build/assay" "$build/test" || exit 1
	# a download is for those who ask for everything
	if [ -n "$arg" ] && [ -z "${ASSAY_PYTHON:-}" ]; then
		use_venv
	elif [ -z "${ASSAY_PYTHON:-}" ] && [ -x "$build/venv/bin/python3" ]; then
		export ASSAY_NO_TORCH="make test is quick: make check, make test T=NAME and ASSAY_PYTHON=build/venv/bin/python3 use build/venv"
	fi
	unit
	;;
asan)
	export ASAN_OPTIONS=detect_leaks=1:abort_on_error=0 UBSAN_OPTIONS=print_stacktrace=1 ASSAY_SANITIZED=1
	unit
	;;
fuzz) fuzz_all "${arg:-15}" ;;
all)
	sh tools/deps.sh say check || exit 1
	mkdir -p "$build"
	# what is compiled need not wait for what is downloaded
	[ -n "${ASSAY_PYTHON:-}" ] || sh tools/venv.sh build/venv > "$build/venv.log" 2>&1 &
	run "build" make -s -j"$(nproc)" B="$build" "$build/assay" "$build/test" bench-objects
	[ "$failed" = 0 ] || exit 1
	run "includes point one way" sh tools/includes.sh
	run "layout" sh tools/layout.sh
	run "sizes" sh tools/sizes.sh
	run "names" sh tools/names.sh
	run "python" sh tools/pycheck.sh
	wait
	[ -n "${ASSAY_PYTHON:-}" ] || {
		run "torch for the tests" sh tools/venv.sh build/venv
		use_venv "$(tail -n 1 "$log")"
	}
	export ASSAY_SLOW=1
	unit
	unset ASSAY_SLOW
	run "one binary that needs only glibc" sh tests/portable.sh "$build"
	run "asan and ubsan" make -s -j2 asan
	run "fuzz targets build" make -s -j2 fuzzers
	fuzz_all 3
	;;
esac
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ $((passed + skipped)) != 0 ]
