#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Speed-up of kernels/c over ATen on the CPU: one line an operator with its interval, the geometric mean last.
# aten_cpu.sh BUILD_DIR [BUDGET [KERNEL...]]       (with ASSAY_PYTHON, or a python3 that has torch)
# BUDGET: seconds for one case. KERNEL: names of files without .c (aten_mm); else those below, one an operator.
# An operator's number is the geometric mean over its timed cases, its interval the mean of their bounds.
build=$1 budget=${2:-3}
[ $# -gt 1 ] && shift
shift
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
# the operators that are no views and that suites/*.trace spend most time in; __fast where there is a plain one too
names=${*:-"aten_mm aten_matmul__fast aten_linear aten_bmm aten_embedding__fast aten_sum_dim_IntList__fast
	aten__to_copy__fast aten_cat__fast aten_clone aten_relu__fast aten_add_Tensor__fast aten_mean_dim aten_expand__fast
	aten_fill__Scalar aten__softmax__fast aten_softmax_int aten_index_Tensor aten_copy_ aten_contiguous
	aten_select_backward aten_stack aten_ones_like aten_zeros_like aten_new_ones aten_zeros aten_zero_ aten_full
	aten_arange_start_step aten_scatter_src aten_gather__fast aten_index_select aten_argmax aten_amin aten_diff
	aten_cumsum__fast aten_sort__fast aten_pow_Tensor_Tensor__fast aten_im2col aten_upsample_nearest2d_backward
	aten_rot90"}
for name in $names; do
	"$build/assay" check "kernels/c/$name.c" --baseline aten --timing auto --budget "$budget" --json > "$dir/records"
	# one line a timed case: speed-up and its bounds
	sed -nE 's/.*"speedup":([0-9.e+-]+),"lo":([0-9.e+-]+),"hi":([0-9.e+-]+).*/\1 \2 \3/p' "$dir/records" | awk '$1 > 0' > "$dir/cases" # 0: the budget was too short
	awk -v name="$name" '
		{ s += log($1); lo += log($2); hi += log($3); n++ }
		END {
			if (n)
				printf "%-36s %6.2fx [%.2f, %.2f]  %d cases\n", name, exp(s / n), exp(lo / n), exp(hi / n), n
			else
				printf "%-36s not timed\n", name
		}' "$dir/cases" | tee -a "$dir/lines"
done
awk '$2 ~ /x$/ { s += log($2 + 0); n++ }
	END { if (n) printf "geometric mean over %d of %d: %.2fx\n", n, NR, exp(s / n) }' "$dir/lines"
