#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# hostile.sh > docs/hostile.md
# Writes the page of hostile kernels, by class, from the first comment of each file under kernels/hostile ("due: VERDICT
# - why") and from tools/hostile.classes. Fails for a file without a verdict.
set -e
cd "$(dirname "$0")/.."
find kernels/hostile -type f | grep -E '\.(c|cc|cu|py)$' | LC_ALL=C sort | xargs awk -v classes=tools/hostile.classes '
function trim(s) { sub(/^[ \t]+/, "", s); sub(/[ \t]+$/, "", s); return s }

function class_of(name,    i, k, n, p) {
	for (i = 1; i <= nclass; i++) {
		n = split(patterns[i], p, " ")
		for (k = 1; k <= n; k++)
			if (name ~ "^" p[k] "$")
				return i
	}
	return 0
}

function language(path) {
	if (path ~ /gpu-python\//) return "Python, GPU"
	if (path ~ /\.py$/) return "Python"
	if (path ~ /\.cu$/) return "CUDA"
	return path ~ /\.cc$/ ? "C++" : "C"
}

# The sentences of the comment that fit into 160 characters, at least the first.
function sentences(text,    n, part, i, said) {
	n = split(text, part, /\. /)
	said = part[1]
	for (i = 2; i <= n && length(said) + length(part[i]) < 160; i++)
		said = said ". " part[i]
	sub(/\.$/, "", said)
	return said
}

function end_of_file(    dash, name, due, why, c) {
	if (path == "")
		return
	text = trim(text)
	sub(/ *\*\/.*$/, "", text)
	dash = index(text, " - ")
	if (text !~ /^due: [A-Z]/ || !dash) {
		print path ": its first line is not \"due: VERDICT - why\"" > "/dev/stderr"
		bad = 1
		return
	}
	due = substr(text, 6, dash - 6)
	why = sentences(substr(text, dash + 3))
	name = path
	sub(/.*\//, "", name)
	sub(/\.[a-z]*$/, "", name)
	file = name
	while ((c = index(name, "__")) > 0 && c < length(name) - 1)
		name = substr(name, c + 2)
	c = class_of(name)
	gsub(/\|/, "\\|", due)
	gsub(/\|/, "\\|", why)
	gsub(/</, "\\&lt;", why)
	count[c]++
	by[c, language(path)]++
	all[language(path)]++
	total++
	split(due, verdict, /[,\\]/)
	if (!((c, verdict[1]) in seen)) {
		seen[c, verdict[1]] = 1
		verdicts[c] = verdicts[c] (verdicts[c] == "" ? "" : ", ") verdict[1]
	}
	rows[c] = rows[c] "| [" file "](../" path ") | " language(path) " | " due " | " why " |\n"
}

BEGIN {
	while ((getline line < classes) > 0) {
		if (line ~ /^#/ || line == "")
			continue
		n = split(line, part, "=")
		nclass++
		word[nclass] = trim(part[1])
		title[nclass] = trim(part[2])
		patterns[nclass] = trim(part[3])
		gsub(/\*/, ".*", patterns[nclass])
	}
}
FNR == 1 {
	end_of_file()
	path = FILENAME
	python = path ~ /\.py$/
	text = ""
	open = 1
}
open && python && !/^#/ { open = 0 }
open {
	line = $0
	if (python)
		sub(/^#+ ?/, "", line)
	else
		sub(/^[ \t]*(\/\*|\*[^\/]|\* )? */, "", line)
	text = text " " line
	if (!python && /\*\//)
		open = 0
}
END {
	end_of_file()
	if (bad)
		exit 1
	nlang = split("C,C++,CUDA,Python,Python, GPU", x, ",")
	lang[1] = "C"; lang[2] = "C++"; lang[3] = "CUDA"; lang[4] = "Python"; lang[5] = "Python, GPU"
	print "# Hostile kernels\n"
	print "<!-- made by tools/hostile.sh: do not edit -->\n"
	print "All kernels that attack the judge, by class, each with the verdict that it is due. The tests judge"
	print "them, on this machine those in C, C++ and Python:\n"
	print "    build/test samples_hostile python_hostile samples_all\n"
	print "A file of `kernels/hostile` names its verdict in its first line ([testing.md](testing.md)). PASS stands"
	print "for an attack that gains nothing: the kernel is right, and what it tried had no effect. After `timed:`"
	print "stands the verdict once a clock runs, after `partial:` that in a jail without namespaces.\n"
	printf "| class | what it tries |"
	for (i = 1; i <= 5; i++) printf " %s |", lang[i]
	print " all | verdicts |"
	print "|---|---|---|---|---|---|---|---|---|"
	for (c = 1; c <= nclass; c++) {
		if (!count[c])
			continue
		printf "| [%s](#%s) | %s |", word[c], word[c], title[c]
		for (i = 1; i <= 5; i++) printf " %s |", by[c, lang[i]]
		printf " %d | %s |\n", count[c], verdicts[c]
	}
	printf "| all | |"
	for (i = 1; i <= 5; i++) printf " %d |", all[lang[i]]
	printf " %d | |\n", total
	for (c = 1; c <= nclass; c++)
		if (count[c])
			printf "\n## %s\n\n%s.\n\n| kernel | language | due | what it does |\n|---|---|---|---|\n%s", word[c], toupper(substr(title[c], 1, 1)) substr(title[c], 2), rows[c]
}'
