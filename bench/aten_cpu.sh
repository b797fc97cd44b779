#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Speed-up of kernels/c over ATen on the CPU: one line an operator with its interval, the geometric mean last.
# aten_cpu.sh BUILD_DIR [BUDGET [KERNEL...]]       (with ASSAY_PYTHON, or a python3 that has torch)
# BUDGET: seconds for one case. KERNEL: names of files without .c (aten_mm); else those of the 40 operators of the catalogue
# that the model suites spend most time in (bench/suite_time.py; views and what goes to the host left out).
# An operator's number is the geometric mean over its timed cases, its interval the mean of their bounds.
build=$1 budget=${2:-3}
shift $(($# < 2 ? $# : 2))
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
[ $# = 0 ] && set -- aten_mm aten_add_Tensor__fast aten_mul_Tensor aten_bmm aten_sum_dim_IntList__fast aten_select_backward \
	aten__to_copy__fast aten_silu aten_cat__fast aten_pow_Tensor_Tensor__fast aten_clone \
	aten_index_Tensor aten_mean_dim aten_copy_ aten_neg aten_fill__Scalar aten_embedding__fast aten_zeros aten_stack \
	aten__softmax__fast aten_rsqrt aten_arange_start_step aten_div_Tensor aten_ones_like aten_softplus_backward aten_cos \
	aten_sin aten_sort__fast aten_cumsum__fast aten_sub_Tensor aten_index_put_ aten_gt_Tensor aten_scatter_src \
	aten_eq_Tensor aten_new_ones aten_gather__fast aten_zeros_like aten_masked_fill__Scalar
for name; do
	"$build/assay" check "kernels/c/$name.c" --baseline aten --timing auto --budget "$budget" --json > "$dir/records"
	# one line a timed case: operator, speed-up and its bounds (0 where the budget was too short), or why there is none
	ratio='"speedup":([0-9.e+-]+),"lo":([0-9.e+-]+),"hi":([0-9.e+-]+)' op='"line":"(aten::[a-z_0-9]+).*"timing":'
	sed -nE -e "s/.*$op.*\"why\":\"([^\"]*)\".*$ratio.*/\1 \3 \4 \5 \2/p;t" -e "s/.*$op.*$ratio.*/\1 \2 \3 \4/p;t" \
		-e "s/.*$op.*\"why\":\"([^\"]*)\".*/\1 0 0 0 \2/p" "$dir/records" > "$dir/cases"
	awk -v name="$name" '
		!($1 in n) { order[++ops] = $1; n[$1] = 0 }
		$2 > 0 { s[$1] += log($2); lo[$1] += log($3); hi[$1] += log($4); n[$1]++ }
		$5 { why[$1] = substr($0, index($0, $5)) }
		END {
			for (i = 1; i <= ops; i++) {
				o = order[i]; k = n[o]
				if (k)
					printf "%-36s %6.2fx [%.2f, %.2f]  %d cases\n", o, exp(s[o] / k), exp(lo[o] / k), exp(hi[o] / k), k
				else
					printf "%-36s not timed: %s\n", o, why[o] ? why[o] : "the budget was too short"
			}
			if (!ops)
				printf "%-36s not timed: no case was\n", name
		}' "$dir/cases" | tee -a "$dir/lines"
done
awk '$2 ~ /x$/ { s += log($2 + 0); n++ }
	END { if (n) printf "geometric mean over %d of %d: %.2fx\n", n, NR, exp(s / n) }' "$dir/lines"
