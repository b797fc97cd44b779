#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Verdicts a minute of `assay check -`: 10,000 jobs over 50 small kernels, --fresh, the compile cache warm.
# bulk.sh BUILD_DIR [JOBS]
build=$1 n=${2:-10000}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export XDG_CACHE_HOME=$dir/cache
mkdir "$dir/k"
# fifty different kernels: relu with another comment each, every tenth wrong
for i in $(seq 50); do
	src=kernels/c/aten_relu.c
	[ $((i % 10)) = 0 ] && src=kernels/wrong/aten_relu__zeros.c
	{ cat $src; echo "/* variant $i */"; } > "$dir/k/aten_relu__$i.c"
done
jobs() { for i in $(seq "$1"); do echo "{\"id\":$i,\"path\":\"$dir/k/aten_relu__$((i % 50 + 1)).c\"}"; done; }
jobs 50 | "$build/assay" check - --fresh --out "$dir/warm" > /dev/null
jobs "$n" | "$build/assay" check - --fresh --out "$dir/run" | tail -n 1 > "$dir/summary"
cat "$dir/summary"
sed -E 's/.*"jobs":([0-9]+).*"wall_s":([0-9.]+).*/\1 \2/' "$dir/summary" | awk '{ printf "%.0f verdicts a minute (102 cases each)\n", $1 / $2 * 60 }'
