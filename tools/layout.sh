#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The sources are laid out as .clang-format says (`make format`).
f=$(command -v clang-format-14 || command -v clang-format) || { echo "no clang-format here"; exit 77; }
case $($f --version) in *" 14."*) ;; *) echo "clang-format 14 decides, this is $($f --version)"; exit 77 ;; esac
git ls-files '*.[ch]' '*.cu' | xargs "$f" --dry-run -Werror
