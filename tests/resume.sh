#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Kills an evaluation twenty times at random points, resumes it, and looks for what was lost, doubled, torn or left behind.
# resume.sh BUILD_DIR SCRATCH
set -u
assay=$1/assay
dir=$2
export XDG_CACHE_HOME="${ASSAY_TEST_CACHE:-$1/cache}"
fail() { echo "$1"; exit 1; }

mkdir "$dir/k"
cp kernels/c/aten_add_Tensor.c kernels/c/aten_sum_dim_IntList.c kernels/c/aten_cat.c kernels/wrong/aten_sort__unstable.c \
	kernels/wrong/aten_cat__divides_by_zero.c "$dir/k/"
suite="--suite kernelgenbench --quick --kernels $dir/k --jobs 2"
"$assay" eval $suite --out "$dir/whole" > "$dir/log" 2>&1
[ $? -le 1 ] || { cat "$dir/log"; exit 1; }
of_type() { grep -c "^{\"type\":\"$1\"" "$2/results.jsonl"; }
cases=$(of_type case "$dir/whole")
[ "$cases" -gt 500 ] || fail "only $cases cases"

how="--out $dir/run $suite"
for i in $(seq 20); do
	"$assay" eval $how > "$dir/log" 2>&1 &
	pid=$!
	sleep "$(awk -v s="$i$$" 'BEGIN { srand(s); print 0.02 + rand() * 0.25 }')"
	kill -9 $pid 2> /dev/null
	wait $pid 2> /dev/null
	[ -e "$dir/run/run.json" ] && how="--resume-from $dir/run"
	[ -e "$dir/run" ] && [ ! -e "$dir/run/run.json" ] && rm -rf "$dir/run" # killed before there was a run
done
before=$(of_type case "$dir/run")
"$assay" eval $how > "$dir/log" 2>&1
[ $? = 1 ] || { cat "$dir/log"; fail "the last resume did not end as the whole run did"; }

[ "$(of_type case "$dir/run")" = "$cases" ] || fail "$(of_type case "$dir/run") case records, not $cases ($before before the end)"
[ "$(of_type kernel "$dir/run")" = "$(of_type kernel "$dir/whole")" ] || fail "kernel records are missing or doubled"
twice=$(sed -n 's/.*"case":"\(.*\)","suite.*"kernel_sha256":"\([0-9a-f]*\)".*/\2 \1/p;s/.*"kernel_sha256":"\([0-9a-f]*\)".*"case":"\([^}]*\)".*/\1 \2/p' "$dir/run/results.jsonl" | cut -c1-600 | sort | uniq -d | head -n 3)
[ -z "$twice" ] || fail "written twice: $twice"
grep -v '^{.*}$' "$dir/run/results.jsonl" && fail "a torn record"
[ -s "$dir/run/OVERALL_SUMMARY.md" ] || fail "no summary"

# the same verdicts, operator by operator
cut -d, -f1,2,4 "$dir/whole/operator_summary.csv" | sort > "$dir/a"
cut -d, -f1,2,4 "$dir/run/operator_summary.csv" | sort > "$dir/b"
diff "$dir/a" "$dir/b" || fail "the verdicts differ"

# killed before its first record: what the suite asks for is in it all the same
cp -r "$dir/run" "$dir/empty" && : > "$dir/empty/results.jsonl"
"$assay" eval --resume-from "$dir/empty" > "$dir/log" 2>&1
cut -d, -f1,2,4 "$dir/empty/operator_summary.csv" | sort > "$dir/b"
diff "$dir/a" "$dir/b" || fail "the verdicts differ in a run that had no record"

# nothing left behind: no process of ours, none of an executor's
sleep 0.3
left=$(pgrep -f "$dir/run" || true)
[ -z "$left" ] || fail "processes are left: $(ps -o pid=,args= -p "$left")"

# a folder that cannot be written, and a disk that is full, end in a clear error
"$assay" eval $suite --out /proc/nowhere/run > "$dir/log" 2>&1 && fail "wrote into /proc"
grep -q '^assay: ' "$dir/log" || { cat "$dir/log"; fail "no clear error"; }
unshare -m true 2> /dev/null || exit 0 # only root can make a small disk
mkdir "$dir/small"
unshare -m sh -c "
	mount -t tmpfs -o size=200k none $dir/small || exit 0
	$assay eval $suite --out $dir/small/run > $dir/log 2>&1
	echo \$? > $dir/status
	mount -o remount,size=8m $dir/small
	$assay eval --resume-from $dir/small/run > $dir/log2 2>&1
	echo \$? >> $dir/status
	cp $dir/small/run/results.jsonl $dir/full.jsonl
"
[ "$(tr '\n' ' ' < "$dir/status")" = "2 1 " ] || { cat "$dir/log" "$dir/log2"; fail "a full disk: exit statuses $(cat "$dir/status")"; }
grep -q 'resume-from' "$dir/log" || { cat "$dir/log"; fail "the error does not say how to go on"; }
[ "$(grep -c '^{"type":"case"' "$dir/full.jsonl")" = "$cases" ] || fail "the full disk lost something"
