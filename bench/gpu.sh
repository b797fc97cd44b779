#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The figures of bench/h200.md that are about judging and timing on a GPU. bench/README.md says how to make them.
# gpu.sh [-o OUT] [-p FILE] [PART[=SECONDS]...]
# OUT (build/gpu-figures) gets a folder and a JSON for every part; a run that is there already is gone on with. FILE: all that
# was made, in one archive. A part ends after its seconds, reports what it has, and never stops the others.
# Two runs are shared: top3 (--topn 3) by honesty and agreement, timed (--topn 20) by speed, agreement and suites; honesty
# and agreement do with timed alone, if there is no top3, but then fewer kernels take more than 20 us. top1 (--topn 1), which is
# not run unasked, has more of these for agreement.
#
# STEPS names the steps of a part that are run (all), so that the rest can come in another call (STEPS=judged gpu.sh good).
# From the environment: ASSAY (build/portable/assay), ASSAY_PYTHON (python3), ASSAY_TORCHBENCH (build/torchbench.trace),
# GEMS (build/flaggems), DEVICE (cuda), BUDGET (seconds for timing one case; assay's own), OPINFO (opinfo, or its lines made
# before), and for trials of this script on other machines: OPS, TOPN (20), FEW (5), CUDA_KERNELS, TRITON_KERNELS, HOSTILE,
# AFTER (the right kernel after each hostile one), LINES, NATIVE and SMALL (the kernels of part cold).
limits='doctor 60
cold 90
top1 200
top3 300
timed 330
honesty 10
agreement 60
gated 350
speed 10
hostile 280
good 560
suites 300
flaggems 340
whole 1500'
OUT=build/gpu-figures pack=
while getopts o:p: o; do
	case $o in
	o) OUT=$OPTARG ;;
	p) pack=$OPTARG ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))
[ $# = 0 ] && set -- doctor cold top3 honesty timed agreement gated speed hostile good suites flaggems whole
ASSAY=${ASSAY:-build/portable/assay} DEVICE=${DEVICE:-cuda} TOPN=${TOPN:-20} FEW=${FEW:-5} GEMS=${GEMS:-build/flaggems}
HOSTILE=${HOSTILE:-kernels/hostile/gpu/*.cu kernels/hostile/gpu-python/*.py} AFTER=${AFTER:-kernels/cuda/aten_relu.cu}
CUDA_KERNELS=${CUDA_KERNELS:-kernels/cuda} TRITON_KERNELS=${TRITON_KERNELS:-kernels/triton} LINES=${LINES:-bench/gpu.lines}
NATIVE=${NATIVE:-kernels/cuda/aten_relu.cu} SMALL=${SMALL:-kernels/triton/relu.py}
PATH=$PATH:/usr/local/cuda/bin
python=${ASSAY_PYTHON:-$(command -v python3)}
mkdir -p "$OUT" || exit 2
OUT=$(cd "$OUT" && pwd) GEMS=$(cd "$GEMS" 2> /dev/null && pwd)
export ASSAY_PYTHON="$python" ASSAY_TORCHBENCH="${ASSAY_TORCHBENCH:-build/torchbench.trace}" XDG_CACHE_HOME="$OUT/cache" PATH
ops=${OPS:+--ops $OPS} budget=${BUDGET:+--budget $BUDGET}

# --- steps of a part ---------------------------------------------------------------------------------------

# step NAME SECONDS COMMAND...: within what the part has left; $input is its standard input. What it printed is in NAME.out
# and NAME.err, what became of it is a line of `steps`.
step() {
	name=$1 most=$2
	shift 2
	case " ${STEPS:-$name} " in *" $name "*) ;; *) return 0 ;; esac
	left=$((end - $(date +%s)))
	[ "$most" -le "$left" ] || most=$left
	begin=$(date +%s.%N) rc=none
	if [ "$most" -gt 0 ]; then
		timeout -k 5 "$most" "$@" > "$dir/$name.out" 2> "$dir/$name.err" < "${input:-/dev/null}"
		rc=$?
	fi
	printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$name" "$begin" "$(date +%s.%N)" "$rc" "$most" "$*" >> "$dir/steps"
	[ "$rc" = 0 ]
}

# evaluate NAME SECONDS ARGUMENT...: assay eval, whose records are in NAME; a run that was ended goes on.
evaluate() {
	name=$1 most=$2 to=--out
	shift 2
	[ -f "$dir/$name/results.jsonl" ] && to=--resume-from
	step "$name" "$most" "$ASSAY" eval "$@" --device "$DEVICE" "$to" "$dir/$name"
}

report() { "$python" bench/gpu_report.py part "$1" "$OUT" || echo "gpu.sh: no report on $1" >&2; }

# --- the parts ---------------------------------------------------------------------------------------------

part_doctor() {
	step calibrate 40 "$ASSAY" doctor --calibrate --device "$DEVICE"
	step doctor 40 "$ASSAY" doctor --json
}

part_cold() {
	step cold 60 "$python" bench/gpu_cold.py "$ASSAY" "$DEVICE" "$NATIVE" "$SMALL" "$dir/cache"
	step compile 40 "$python" bench/gpu_cold.py --compile "$DEVICE" "$SMALL"
}

aten_to_itself() { evaluate run "$1" --suite torchbench --topn "$2" $ops --backend aten --baseline aten --timing auto $budget; }
part_timed() { aten_to_itself "$1" "$TOPN"; }
part_top3() { aten_to_itself "$1" 3; }
part_top1() { aten_to_itself "$1" 1; }

part_honesty() { [ -d "$OUT/top3/run" ] || need_timed; }
part_speed() { need_timed; }
part_agreement() {
	ls -d "$OUT"/t[io]*/run > /dev/null 2>&1 || need_timed
	dir=$OUT/agreement
	step plain 60 "$python" bench/gpu_plain.py "$DEVICE" "$OUT"/t[io]*/run/results.jsonl
}

# Torch's own functions under the gate: one input of each operator that is known to take more than 20 us.
part_gated() {
	evaluate run "$1" --suite bench/gpu_gated.lines $ops --backend aten --baseline aten --timing auto --gate always --budget "${BUDGET:-1}"
}

# A run that was ended goes on only if `timed` is asked for.
need_timed() {
	[ -f "$OUT/timed/steps" ] || part timed
	end=$(($(date +%s) + limit))
}

# Nothing is timed, so all suites run at once; the list of opinfo is made meanwhile, on the processor. The largest inputs of
# torchbench were judged before they were timed, if they were.
part_suites() {
	evaluate opinfo "$1" --suite "${OPINFO:-opinfo}" $ops --backend aten --timing none --jobs 7 &
	evaluate kernelgenbench "$1" --suite kernelgenbench --quick $ops --backend aten --timing none --jobs 7 &
	evaluate smoke "$1" --suite smoke $ops --backend aten --timing none --jobs 2 &
	[ -f "$OUT/timed/run/results.jsonl" ] ||
		evaluate torchbench "$1" --suite torchbench --topn "$FEW" $ops --backend aten --timing none --jobs 4 &
	wait
}

part_whole() {
	evaluate run "$1" --suite torchbench $ops --backend aten --baseline aten --timing auto $budget
}

# FlagGems is imported for every operator (5 s), so verdicts are had eight at a time, and few operators are timed: on lines of
# our own, since the cases of smoke are too small for that. Its first product compiles and tries dozens of variants: --call-timeout.
part_flaggems() {
	PYTHONPATH=$GEMS${PYTHONPATH:+:$PYTHONPATH}
	export PYTHONPATH
	# half of an import is compiling Python, and a jail keeps nothing of it
	case $GEMS in */build/*) step bytecode 20 "$python" -m compileall -q -j 0 "$GEMS" ;; esac
	evaluate opinfo 110 --suite "${OPINFO:-opinfo}" --ops "${OPS:-add,sub}" --backend flag_gems --call-timeout 60 --timing auto --budget 1
	evaluate timed 140 --suite "$LINES" --ops "${OPS:-add,relu,silu,gelu,sum,_softmax,cat,cumsum}" --backend flag_gems --call-timeout 60 --timing auto --budget 1
	evaluate smoke "$1" --suite smoke $ops --backend flag_gems --call-timeout 60 --timing none --jobs 8
}

# Compiled side by side, on nothing to compute; then one after the other, each followed by a right kernel.
part_hostile() {
	"$python" bench/gpu_samples.py compile $HOSTILE "$AFTER" > "$dir/compile.jobs"
	input=$dir/compile.jobs step compile 60 "$ASSAY" check - --device "$DEVICE" --jobs 12 --fresh --timeout 3 --out "$dir/compiled"
	"$python" bench/gpu_samples.py after "$AFTER" $HOSTILE > "$dir/judged.jobs"
	input=$dir/judged.jobs step judged 190 "$ASSAY" check - --device "$DEVICE" --jobs 1 --fresh --timeout 3 --out "$dir/judged-run"
	"$python" bench/gpu_samples.py timed $HOSTILE > "$dir/timed.list"
	while IFS='	' read -r file case twin; do
		step "timed_$(basename "$file" | tr . _)" 25 "$ASSAY" check "$file" --device "$DEVICE" --json --timeout 10 --timing auto \
			--budget "${BUDGET:-2}" --baseline "$twin" --case "$case"
	done < "$dir/timed.list"
}

# Few at once on a GPU: the clock is what takes long (6 s a case), and Triton's launches are the processor's.
part_good() {
	few=
	[ "$DEVICE" = cpu ] || few='--jobs 4'
	"$python" bench/gpu_samples.py jobs "$CUDA_KERNELS"/* "$TRITON_KERNELS"/*.py > "$dir/judged.jobs"
	input=$dir/judged.jobs step judged 120 "$ASSAY" check - --device "$DEVICE" --jobs 12 --fresh --timeout 30 --out "$dir/judged-run"
	evaluate cuda 200 --suite "$LINES" $ops --kernels "$CUDA_KERNELS" --timing auto --budget "${BUDGET:-2}" $few
	evaluate triton 240 --suite "$LINES" $ops --kernels "$TRITON_KERNELS" --timing auto --budget "${BUDGET:-2}" $few
}

# --- all of them -------------------------------------------------------------------------------------------

# part NAME [SECONDS]; in a shell of its own, so that nothing of it is left
part() {
	(
		limit=${2:-$(echo "$limits" | sed -n "s/^$1 //p")}
		dir=$OUT/$1 end=$(($(date +%s) + limit)) input=
		mkdir -p "$dir"
		"part_$1" "$limit"
	)
	report "$1"
}

for p; do
	name=${p%%=*}
	echo "$limits" | grep -q "^$name " || { echo "gpu.sh: there is no part '$name':" $(echo "$limits" | cut -d ' ' -f 1) >&2; exit 2; }
	case $p in *=*) case ${p#*=} in '' | *[!0-9]*) echo "gpu.sh: '$p': PART=SECONDS" >&2; exit 2 ;; esac ;; esac
done
# Where torch came without its bytecode (pip compiles it, not everybody does), every jail would compile all of it, and keep
# nothing.
"$python" -c 'import torch' 2> /dev/null
for p; do
	name=${p%%=*} s=
	[ "$name" = "$p" ] || s=${p#*=}
	part "$name" $s
done
"$python" bench/gpu_report.py merge --json "$OUT/gpu.json" --markdown "$OUT/gpu.md" "$OUT"
[ -z "$pack" ] || tar -czf "$pack" -C "$OUT" --exclude cache --exclude full_results.json --exclude results.json --exclude failed_tests.json .
