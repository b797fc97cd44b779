#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Judges and times a few bundled kernels, one of them wrong, and prints the table: about a minute on two cores.
# demo.sh ASSAY BUILD_DIR
assay=$1 dir=$2/demo
ops=relu,add,sum,_softmax,embedding,sort
rm -rf "$dir"
mkdir -p "$dir/kernels"
for kernel in aten_relu__fast aten_add_Tensor__fast aten_sum_dim_IntList__fast aten__softmax__fast aten_embedding__fast; do
	cp "kernels/c/$kernel.c" "$dir/kernels/"
done
cp kernels/wrong/aten_sort__unstable.c "$dir/kernels/"

"$assay" doctor --quick | grep -q '^ok *torch ' ||
	echo "No torch was found, so times are compared with our plain reference; make demo-torch installs it (2.3 GB)."
echo "Six bundled C kernels, judged on every quick case and timed on one core. One of them is wrong."
"$assay" eval --suite demo --ops "$ops" --kernels "$dir/kernels" --timing auto --budget 1 --out "$dir/run"
status=$?
[ "$status" = 1 ] || { # the wrong kernel, and no failure of ours
	echo "demo: status $status, not 1" >&2
	exit 2
}
cat << EOT

  verdict   PASS: every element of every case is within its error bound
  time      one call on inputs that the kernel never saw, measured by the judge's clock
  speed-up  over the named baseline, with its 99 % interval

Next:
  $assay report $dir/run --failures
  $assay check kernels/c/aten_add_Tensor__fast.c --baseline kernels/c/aten_add_Tensor.c
  $assay show aten::relu --lang c        what a kernel of yours has to define
  docs/tutorial.md                       your first kernel in five minutes
EOT
