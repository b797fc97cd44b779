/* SPDX-License-Identifier: Apache-2.0
 *
 * original - what is known of the benchmark that the set of operators was taken from (KernelGenBench at commit
 * b1966bc): how many cases its test of an operator runs, whether that test can tell anything, and which of the
 * overloads that it lists are no tensor kernels. The set is closed, so these are facts in a table; what is known of
 * an operator itself stands in its own file under ops/.
 */
#ifndef AY_OP_ORIGINAL_COVERAGE_H
#define AY_OP_ORIGINAL_COVERAGE_H

#include "op/registry.h"

struct ay_original_coverage {
	const char *name;
	int cases;          /* that its test runs */
	const char *broken; /* what keeps that test from telling anything, or part of it; NULL: nothing */
	const char *why;    /* why the cases here that have its place are more or fewer; NULL: they are as many */
};

/* NULL: not one of those whose original is written down. */
const struct ay_original_coverage *ay_original_coverage_find(const char *name);
extern const struct ay_original_coverage ay_original_coverages[]; /* {0}-ended, by name */

/* Why an overload is no tensor kernel: the word for tables, and the sentence. */
/* clang-format off */
#define AY_OMITS(X)                                                                              \
	X(NUMBERS, "numbers", "numbers in, a number out: TorchScript's arithmetic on the host")  \
	X(LISTS, "lists", "lists, strings, devices and enums: built-ins of TorchScript")         \
	X(TWIN, "twins", "hacked_twin: the same call, its list of tensors without None")         \
	X(NAMED, "named", "named dimensions, which PyTorch 2.13 has dropped")
/* clang-format on */

enum ay_omit {
#define X(name, word, text) AY_OMIT_##name,
	AY_OMITS(X)
#undef X
		AY_OMIT_COUNT
};

struct ay_omitted {
	const char *name;
	enum ay_omit omit;
	const char *overloads; /* divided by spaces; the one without a name is `default`, as in torch.ops */
};

extern const struct ay_omitted ay_omissions[]; /* {0}-ended, by name */
const char *ay_omit_word(enum ay_omit o);
const char *ay_omit_text(enum ay_omit o);
/* How many overloads a row has. */
int ay_omitted_count(const struct ay_omitted *o);

#endif
