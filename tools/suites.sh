#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Traces the models of torch/models into suites/: all, or those named. Needs torch and transformers.
# suites.sh ASSAY [NAME...]
assay=$1
shift
[ $# -gt 0 ] || set -- bert convnext gpt2 llama mamba mixtral qwen3 resnet t5 vit wav2vec2 whisper
mkdir -p suites
for name; do
	"$assay" trace -o "suites/$name.trace" -- python torch/models/run.py "$name" || exit 1
done
