#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prints registry.c: one row per operator file, with its table for each number type.
echo '#include "op/registry.h"'
for f in "$@"; do
	stem=$(basename "$f" .c)
	echo "extern const struct ay_op ay_ops_${stem}_d[], ay_ops_${stem}_ld[], ay_ops_${stem}_z[], ay_ops_${stem}_lz[];"
done
echo 'const struct ay_op_file ay_op_files[] = {'
for f in "$@"; do
	stem=$(basename "$f" .c)
	echo "	{ \"$f\", \"$stem\", { ay_ops_${stem}_d, ay_ops_${stem}_ld, ay_ops_${stem}_z, ay_ops_${stem}_lz } },"
done
echo '	{ 0 }'
echo '};'
