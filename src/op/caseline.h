/* SPDX-License-Identifier: Apache-2.0
 *
 * caseline - one call of one operator on described inputs, as one line of text:
 *
 *   aten::add.Tensor((T([20, 320, 15], f16), T([15], f16, stride=(2,))), {'alpha': 0.5}) seed=7
 *
 * Parsing needs no schema: any operator's line can be read, kept and printed. bind.h fits it to one.
 * The grammar is in docs/case-lines.md. Accepted beside the canonical form: aten.add.Tensor, a "cnt: N," prefix,
 * strides as a positional list, tuples for lists, `Operator:` headers (through ay_reader).
 */
#ifndef AY_OP_CASELINE_H
#define AY_OP_CASELINE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "op/value.h"

#include <stdbool.h>
#include <stdint.h>

struct ay_kw {
	const char *name;
	int col;
	struct ay_value v;
};

struct ay_case {
	const char *ns, *base,
		*overload; /* overload "" for the default one; base NULL: the line names no operator */
	int narg, nkw;
	struct ay_value *arg;
	struct ay_kw *kw;
	int64_t cnt; /* how often a traced model made this call; -1 = not said */
	bool has_seed;
	uint64_t seed;
	/* timed=CONTENT:SET: the inputs are those of a timed call, which follow from the seed (timing/inputs.h). */
	bool is_timed;
	uint64_t timed_content;
	int timed_set;
};

enum { AY_LINE_MAX = 1 << 20 };

/* len bytes of text, no newline inside. Errors name the column. */
int ay_case_parse(struct ay_arena *a, const char *text, size_t len, struct ay_case **out, struct ay_err *err);
void ay_case_print(struct ay_str *b, const struct ay_case *c);
bool ay_case_equal(const struct ay_case *a, const struct ay_case *b);
/* "aten::add.Tensor" */
void ay_case_opname(struct ay_str *b, const struct ay_case *c);
/* Splits "ns::base.overload" or "ns.base.overload"; ".default" means none; without a namespace ns is NULL. Of two
 * names with a point ("aten.relu") the first is the namespace, unless the second is "default". */
int ay_opname_parse(struct ay_arena *a, const char *text, size_t len, const char **ns, const char **base,
		    const char **overload, struct ay_err *err);

/* A file of lines: blanks and # comments skipped, `Operator:` headers remembered. */
struct ay_reader {
	const char *text;
	size_t len, pos;
	int line;       /* number of the line just read, 1-based */
	const char *op; /* the last header's operator, inside text; NULL = none */
	size_t op_len;
};

/* 1: *out is the next case; 0: the end; -1: that line is bad (err says where), the next call goes on behind it. */
int ay_reader_next(struct ay_reader *r, struct ay_arena *a, struct ay_case **out, struct ay_err *err);

#endif
