#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes ten small runs of every kind that a score must survive, and has tests/scores.py recompute their scores.
# scores.sh DIR STEP: the scratch folder, and what to do there: runs, timed (both make runs) or compare. The assay under
# test is the first in PATH.
dir=$1 step=$2
quiet() { "$@" > "$dir/out" 2>&1 || [ $? = 1 ] || { cat "$dir/out"; exit 2; }; }
judge() { # NAME SUITE OPS FOLDER [OPTIONS]
	name=$1 suite=$2 ops=$3 kernels=$4
	shift 4
	quiet assay eval --suite "$suite" --ops "$ops" --kernels "$kernels" --seed 7 --out "$dir/$name" "$@"
}

make_runs() {
	mkdir -p "$dir/k-c" "$dir/k-broken" "$dir/k-shared" "$dir/k-several" "$dir/k-mixed" "$dir/k-whole"
	cp kernels/c/aten_relu.c kernels/c/aten_add_Tensor.c kernels/c/aten_sum_dim_IntList.c "$dir/k-c"
	# files that do not build, beside right ones of the same file under ops/
	cp kernels/c/aten_add_Tensor.c "$dir/k-broken"
	echo 'int broken(' > "$dir/k-broken/aten_sub_Tensor.c"
	echo 'int also_broken(' > "$dir/k-whole/add.c"
	# one file with functions of several operators, and one that defines no function of its own name
	cat kernels/c/aten_sin.c > "$dir/k-shared/aten_sin.c"
	echo 'int nothing;' > "$dir/k-shared/aten_cos.c"
	# several kernels for one operator: right ones, a wrong one, one that does not load
	cp kernels/c/aten_relu.c kernels/c/aten_relu__fast.c kernels/wrong/aten_relu__writes_input.c "$dir/k-several"
	echo 'int nothing;' > "$dir/k-several/aten_relu__empty.c"
	# C beside Python, which needs torch; without it the Python kernel is an error, and the score must say so as well
	cp kernels/c/aten_relu.c kernels/python/add_Tensor.py kernels/python/mm.py "$dir/k-mixed"

	judge plain smoke relu,add,sum "$dir/k-c" --timing none
	judge broken kernelgenbench-aten add,sub,rsub "$dir/k-broken" --timing none --quick
	judge whole kernelgenbench-aten add "$dir/k-whole" --timing none --quick
	judge shared kernelgenbench-aten sin,cos,relu "$dir/k-shared" --timing none --quick
	judge several smoke relu,add "$dir/k-several" --timing none
	judge mixed smoke relu,add,mm,sum "$dir/k-mixed" --timing none
	judge partial kernelgenbench-aten copy_,relu,sum kernels/c --timing none --quick
	quiet assay eval --suite smoke --ops relu,add,mm --backend reference --out "$dir/reference"
	# a run that was killed: its records end in the middle of a line, and no kernel is summed up
	cp -r "$dir/plain" "$dir/unfinished"
	head -c $(($(wc -c < "$dir/plain/results.jsonl") * 2 / 3)) "$dir/plain/results.jsonl" > "$dir/unfinished/results.jsonl"
}

# Times of every kind that a score treats differently, put into the records of a run: faster, slower, unclear (counts as
# its lower bound), bound by overhead, over the reference, too slow, without a ratio. A real measurement would wait for
# others on the machine, and could be of only some kinds.
make_timed() {
	cp -r "$dir/partial" "$dir/timed"
	"${PYTHON:-python3}" tests/times.py "$dir/timed/results.jsonl"
}

case $step in
runs) make_runs ;;
timed) make_timed ;;
compare) cd "$dir" && "${PYTHON:-python3}" "$OLDPWD/tests/scores.py" assay plain broken whole shared several mixed partial reference timed unfinished ;;
*) echo "scores.sh: what is '$step'?" >&2; exit 2 ;;
esac
