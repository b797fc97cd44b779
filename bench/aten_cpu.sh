#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Speed-up of kernels/c over ATen on the CPU: one line an operator with its interval, the geometric mean last.
# aten_cpu.sh BUILD_DIR [BUDGET [KERNEL...]]       (with ASSAY_PYTHON, or a python3 that has torch)
# BUDGET: seconds for one case. KERNEL: names of files without .c (aten_mm); else all that are meant to be fast.
# An operator's number is the geometric mean over its timed cases, its interval the mean of their bounds.
build=$1 budget=${2:-3}
shift $(($# < 2 ? $# : 2))
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
# every kernel of an ATen operator but those that have a __fast twin, and plain ones that are there to be read
if [ $# = 0 ]; then
	for file in kernels/c/aten_*.c; do
		name=$(basename "$file" .c)
		[ -e "kernels/c/${name}__fast.c" ] && continue
		case $name in
		*_bernoulli|*_empty_strided|*_exponential_|*_index_put_|*_item|*_poisson|*_rrelu_with_noise|*_unsafe_split_Tensor) continue ;;
		esac
		set -- "$@" "$name"
	done
fi
for name; do
	"$build/assay" check "kernels/c/$name.c" --baseline aten --timing auto --budget "$budget" --json > "$dir/records"
	# one line a timed case: speed-up and its bounds; 0 where the budget was too short
	sed -nE 's/.*"speedup":([0-9.e+-]+),"lo":([0-9.e+-]+),"hi":([0-9.e+-]+).*/\1 \2 \3/p' "$dir/records" > "$dir/cases"
	awk -v name="$name" '
		$1 > 0 { s += log($1); lo += log($2); hi += log($3); n++ }
		END {
			if (n)
				printf "%-36s %6.2fx [%.2f, %.2f]  %d cases\n", name, exp(s / n), exp(lo / n), exp(hi / n), n
			else
				printf "%-36s not timed\n", name
		}' "$dir/cases" | tee -a "$dir/lines"
done
awk '$2 ~ /x$/ { s += log($2 + 0); n++ }
	END { if (n) printf "geometric mean over %d of %d: %.2fx\n", n, NR, exp(s / n) }' "$dir/lines"
