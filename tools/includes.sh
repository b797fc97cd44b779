#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Includes point one way: a folder may include its own level and those below (design section 11). ops/ may include
# op/op.h and the kernel ABI; executors only the wire format, the driver's declarations and the kernel ABI, the Python one also the prototypes and its jail.
order='base tensor op oracle sandbox device exec forge timing judge store report llm'
rank() { # levels: oracle, sandbox and device; exec and forge side by side; timing; judge; store; report and llm on top
	case $1 in
	base) echo 0 ;; tensor) echo 1 ;; op) echo 2 ;; oracle | sandbox | device) echo 3 ;; exec | forge) echo 4 ;; timing) echo 5 ;; judge) echo 6 ;; store) echo 7 ;; report | llm) echo 8 ;; *) echo 9 ;;
	esac
}
bad=0
for dir in $order; do
	for f in $(git ls-files "src/$dir" 2>/dev/null | grep -E '\.[ch]$'); do
		for inc in $(sed -n 's/^#include "\([a-z_]*\)\/.*/\1/p' "$f"); do
			if [ "$(rank "$inc")" -gt "$(rank "$dir")" ] || { [ "$(rank "$inc")" = "$(rank "$dir")" ] && [ "$inc" != "$dir" ]; }; then
				echo "$f includes $inc/, which is not below $dir/"
				bad=1
			fi
		done
	done
done
for f in $(git ls-files ops | grep '\.c$'); do
	extra=$(grep '^#include' "$f" | grep -vE '"op/op.h"|<(assay/kernel|string|stdio|stdlib|float|limits)\.h>') && echo "$f: $extra" && bad=1
done
for f in $(git ls-files src/exec/native src/exec/runtime | grep '\.[ch]$'); do
	extra=$(grep '^#include "' "$f" | grep -vE '"(exec/wire.h|device/cuda.h|runtime.h|exec/runtime/runtime.h)"') && echo "$f: $extra" && bad=1
done
for f in $(git ls-files torch/exec | grep '\.[ch]$'); do
	extra=$(grep '^#include "' "$f" | grep -vE '"(exec/wire.h|exec/runtime/runtime.h|op/proto.h|sandbox/zygote.h|[a-z_]+\.h)"') && echo "$f: $extra" && bad=1
done
# nothing under src/ prints, exits or asks the shell; one door to the heap
for f in $(git ls-files src | grep '\.c$' | grep -vE 'src/exec/(native|runtime)/'); do
	lines=$(grep -nE '\b(printf|puts|exit|system|strcpy|strcat|sprintf|atoi|rand|strtok)\(' "$f" | grep -vE '_exit\(|sys\.exit\(|v?snprintf\(|^[0-9]+:[[:space:]]*(/?\*)') &&
		[ "$f" != src/base/err.c ] && [ "$f" != src/base/str.c ] && echo "$f: $lines" && bad=1
	lines=$(grep -nE '\b(malloc|calloc|realloc|free)\(' "$f") && [ "$f" != src/base/arena.c ] && echo "$f: $lines" && bad=1
done
exit $bad
