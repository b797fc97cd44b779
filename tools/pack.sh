#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The Python modules as one file: for each a line with its name and its bytes, then those (src/exec/python.c reads it).
for f; do
	echo "assay.$(basename "$f" .py) $(wc -c < "$f")"
	cat "$f"
done
