#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Says which glibc the given programs need, from the versions of the symbols they use; fails if one of them asks the
# loader for a library that is not glibc's.
# portable.sh PROGRAM...
glibc='lib(c|m|dl|pthread|rt)\.so\.[0-9]+|ld-linux[-a-z0-9_]*\.so\.[0-9]+'
for program; do
	needed=$(readelf -d "$program" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
	[ -n "$needed" ] || { echo "$program: no dynamic program" >&2; exit 1; }
	extra=$(echo "$needed" | grep -vxE "$glibc")
	[ -z "$extra" ] || { echo "$program needs more than glibc:" $extra >&2; exit 1; }
done
oldest=$(objdump -T "$@" | sed -n 's/.*(\{0,1\}GLIBC_\([0-9.]*\).*/\1/p' | sort -uV | tail -n 1)
[ -n "$oldest" ] || { echo "$*: no symbol of glibc is used" >&2; exit 1; }
echo "$1: needs glibc $oldest or later, and nothing else"
