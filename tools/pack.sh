#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Texts as one file: for each a line with its name and its bytes, then those (src/base/pack.c reads it). The name of a
# Python module is what it is imported as, of another file what it is called.
for f; do
	name=$(basename "$f")
	case $name in *.py) name=assay.${name%.py} ;; esac
	echo "$name $(wc -c < "$f")"
	cat "$f"
done
