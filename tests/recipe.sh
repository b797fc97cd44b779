#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Follows CONTRIBUTING's recipe "a new operator" in a copy of the tree: one new file, nothing else touched.
# recipe.sh BUILD_DIR SCRATCH
set -eu
build=$(cd "$1" && pwd)
top=$(pwd)
cd "$2"
mkdir tree
(cd "$top" && tar cf - Makefile include src ops cmd baselines kernels tests tools docs torch/exec/heap.[ch] torch/exec/block_cache.[ch] README.md) | tar xf - -C tree
mkdir tree/build
cp -rp "$build/obj" "$build/assay-native" tree/build/ # only what the recipe changes is compiled again
cd tree
find . -path ./build -prune -o -type f -print | sort | xargs cksum > ../before

# 1. start the file; it compiles, and its test fails until it is described
"$build/assay" new-op extra::square
make -s build/assay build/test > ../log 2>&1 || { cat ../log; exit 1; }
if build/test ops_are_described > ../log; then echo "an operator without .doc passed"; exit 1; fi
grep -q 'square.*write its .doc' ../log || { cat ../log; exit 1; }

# 2. formula and reference   3. description
sed -i -e 's|out = self: write.*|out = self * self; one rounding, so mag = \|out\|.|' \
	-e 's|ay_val(r, 0, i, 0) = v;|ay_val(r, 0, i, 0) = v * v;|' \
	-e 's|(double)fabs(v);.*|(double)fabs(v * v);|' \
	-e 's|\.doc       = "",.*|.doc       = "out = self * self, element by element, in the dtype of self.",|' ops/extra/square.c
make -s build/assay build/test > ../log 2>&1 || { cat ../log; exit 1; }

# 4. its tests pass   5. it has a page, a prototype, and kernels for it are judged
ASSAY_OP=extra/square build/test ops_ > ../log || { cat ../log; exit 1; }
build/assay show extra::square --lang c | grep -q 'int extra_square(const ay_tensor \*self, ay_tensor \*out, const ay_ctx \*ctx);'
sed -e 's/aten_relu/extra_square/; s/x <= 0 ? 0 : x/x * x/' > ../extra_square.c << 'K'
#include <assay/kernel.h>
int extra_square(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	(void)ctx;
	for (int64_t i = 0; i < ay_numel(self); i++) {
		double x = ay_read(self, ay_at(self, i));
		ay_write(out, ay_at(out, i), x * x);
	}
	return AY_OK;
}
K
build/assay check ../extra_square.c --cache '' > ../log || { cat ../log; exit 1; }
find . -path ./build -prune -o -type f -print | sort | xargs cksum > ../after
changed=$(diff ../before ../after | grep -c '^[<>]') || true
[ "$changed" = 1 ] || { echo "the recipe touched $changed files"; exit 1; }
