#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# file_names.sh FOLDER
# Names files and folders as no file should be named (escape sequences, line ends, bytes that are not UTF-8), lets every
# command of assay read them or complain about them, and says of each what is wrong with its output: a control character,
# a byte that is not UTF-8, a line that the name of a file has made. tests/cli/names.test has what it prints.
cd "$1" || exit 2
evil=$(printf '\033]0;x\007\nEVIL\377\302\233')
file=aten_relu__$evil.c
dir=d$evil
relu=$OLDPWD/kernels/c/aten_relu.c

# say LABEL COMMAND [ARG...]
say() {
	label=$1
	shift
	"$@" > said 2>&1 < /dev/null
	status=$?
	wrong=
	LC_ALL=C tr -d '\n\t\r' < said | LC_ALL=C grep -q '[[:cntrl:]]' && wrong="$wrong, control characters"
	iconv -f utf-8 -t utf-8 said > /dev/null 2>&1 || wrong="$wrong, not UTF-8"
	grep -q '^EVIL' said && wrong="$wrong, a line from a name"
	[ -s said ] || wrong="$wrong, nothing said"
	printf '%s\n' "$label: exit $status${wrong:+: $wrong}"
	[ -z "$wrong" ] || cat -v said
}

cp "$relu" "$file"
mkdir "$dir"
cp "$relu" "$dir/$file"
cp "$relu" "$dir/$evil.c"
printf 'aten::relu((T([7], f32),), {})\nbad %s\n' "$evil" > "$dir/$file.lines"

say check assay check "$file"
say 'check --json' assay check "$file" --json
say 'check --dump' assay check "$file" --dump "$dir/dump" --case 'aten::relu((T([7], f32),), {}) seed=1'
say 'check of no file' assay check "$file.c"
say 'check of an unknown language' assay check "$dir/$file.lines"
for option in op case device dtypes ref baseline python timing jobs "$evil"; do
	say "check --$(echo "$option" | tr -dc a-z)" assay check "$file" "--$option" "$file"
done
printf '{"id": 1, "path": "no\\u001b[31m\\nEVIL.c"}\n{"id": "\\u001b\\nEVIL", "path": 7}\n' > jobs
say 'check -' sh -c 'assay check - --out "$0/jobs" < jobs' "$dir"
say 'eval --list' assay eval --kernels "$dir" --list
say 'eval --list --json' assay eval --kernels "$dir" --list --json
say eval assay eval --suite "$dir/$file.lines" --kernels "$dir" --out "$dir/run"
say 'eval --json' assay eval --suite "$dir/$file.lines" --kernels "$dir" --out "$dir/run2" --json
say 'eval --resume-from' assay eval --resume-from "$dir/run" --kernels "$dir" --suite "$dir/$file.lines"
say 'eval of no folder' assay eval --suite smoke --kernels "$dir/none"
say 'eval of no suite' assay eval --suite "$file.lines" --kernels "$dir"
for format in text md csv json junit; do
	say "report --format $format" assay report "$dir/run" --format $format
done
say 'report --failures' assay report "$dir/run" --failures
say 'report of two' assay report "$dir/run" "$dir/run2"
say 'report of none' assay report "$dir/none"
say merge assay merge "$dir/run" "$dir/run2" --out "$dir/merged"
say 'merge of none' assay merge "$dir/none"
say trace assay trace --python "$file" -- "$file"
say 'llm --replay' assay llm --replay "$file" --ops relu --out "$dir/llm"
for command in show ops mutants help new-op "doctor --python" ''; do
	say "${command:-no command}" assay $command "$evil"
done

# what a run folder has
for f in "$dir"/run/*.json "$dir"/run/*.jsonl "$dir"/run/*.md "$dir"/run/*.csv "$dir"/merged/*.json; do
	iconv -f utf-8 -t utf-8 "$f" > /dev/null || echo "${f##*/} is not UTF-8"
done
# the line that repeats a case works as it stands
printf '#include <assay/kernel.h>\nint aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx) { return 7; }\n' > "$file"
again=$(assay check "$file" --op relu --case 'aten::relu((T([7], f32),), {}) seed=1' | sed -n 's/^ *again: //p')
printf '%s\n' "$again"
bash -c "$again" > said
printf '%s\n' "status $?: $(tail -n 1 said)"
