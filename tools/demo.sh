#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Judges one bundled kernel of every operator that has any, the fast one where there are two, with timing, and prints the table.
# demo.sh ASSAY BUILD_DIR
assay=$1 dir=$2/demo
rm -rf "$dir"
mkdir -p "$dir/kernels"
for f in kernels/c/*.c; do
	[ -f "${f%.c}__fast.c" ] || cp "$f" "$dir/kernels/"
done
echo "The bundled C kernels, judged and timed on one core; a few minutes. MISSING: none is bundled for that operator."
"$assay" eval --suite demo --kernels "$dir/kernels" --timing auto --budget 1.5 --out "$dir/run"
status=$?
cat << EOF

  verdict    PASS: every element of every case was within the error bound; nothing was overrun, invented or left out
  time       of one call on fresh inputs, measured from outside while everything else stood still
  of floor   100 % is as fast as any correct kernel can be on this machine's memory
  speed-up   over the baseline, with its interval; over our own plain reference it is shown but never scored

Try one yourself:
  $assay check kernels/wrong/aten_sum_dim_IntList__half_accumulator.c
  $assay check kernels/c/aten_add_Tensor__fast.c --baseline kernels/c/aten_add_Tensor.c
  $assay report $dir/run
EOF
exit $status
