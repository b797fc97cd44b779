#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes seed inputs of a fuzz target into a folder, from the corpus in tests/data.
# seeds.sh TARGET DIR
case $1 in
schema) awk -v d="$2" '!/^#/ && NF { f = d "/s" NR; print > f; close(f) }' tests/data/schemas.txt ;;
caseline) awk -v d="$2" '!/^#/ && NF { f = d "/l" NR; printf "%s", $0 > f; close(f) }' tests/data/lines.txt ;;
store) printf '0{"type":"case","line":"x","verdict":"PASS"}\n' > "$2/r1" ;;
job) printf '{"id":1,"op":"aten::relu","lang":"c","source":"int x;","cases":["a"],"timeout":2}' > "$2/j1" ;;
grid) printf '((T([n, d], dt), 1e-6), {})\0dt=f32|f16 (n,d)=(1,1)|(7,129) ; dt=bf16 (n,d)=(64,1000)' > "$2/g1" ;;
esac
exit 0
