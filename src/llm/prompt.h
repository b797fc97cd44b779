/* SPDX-License-Identifier: Apache-2.0
 *
 * prompt - what a model is asked: the operator's page, and what became of its last attempt.
 *
 * Made from templates (src/llm/prompts/\*.txt, packed into the binary; a user's folder replaces any of them by name)
 * with {{PLACES}} that are filled from the operator's file. One template for a new kernel, one for a kernel to be
 * mended, one for a kernel to be made faster, one for an answer without a kernel; the operator's page, the rules of
 * each language and worked examples are templates that those are made of. docs/prompts.md lists them.
 *
 * A prompt never has the seed of a case, nor anything else that follows from a run's secret. What strangers wrote (the
 * model's own source, the compiler, an exception) is cut to length and stands in a fence that is longer than any of
 * its own.
 */
#ifndef AY_LLM_PROMPT_H
#define AY_LLM_PROMPT_H

#include "judge/op_doc.h"
#include "judge/verdict.h"
#include "op/registry.h"
#include "timing/timing.h"

/* What a kernel can be asked for in: the word of --lang, its name, how its file ends, the label of its block. */
/* clang-format off */
#define AY_PROMPT_LANGS(L)                              \
	L(C, "c", "C", ".c", "c")                       \
	L(CUDA, "cuda", "CUDA C++", ".cu", "cuda")      \
	L(PYTHON, "python", "Python", ".py", "python")  \
	L(TRITON, "triton", "Triton", ".py", "python")
/* clang-format on */

#define L(id, word, name, end, label) AY_PROMPT_##id,
enum ay_prompt_lang { AY_PROMPT_LANGS(L) AY_PROMPT_LANG_COUNT };
#undef L

const char *ay_prompt_lang_word(enum ay_prompt_lang lang);
/* ".c": with it ay_lang_of says what the forge makes of it, if anything. */
const char *ay_prompt_lang_end(enum ay_prompt_lang lang);
/* -1 for a word that is none. */
int ay_prompt_lang_find(const char *word, enum ay_prompt_lang *lang, struct ay_err *err);

/* Borrowed, all of it. */
struct ay_prompt_spec {
	const struct ay_registry *registry;
	const struct ay_entry_op *op;
	const struct ay_schema *only; /* one overload; NULL: all of the operator's */
	const struct ay_op_doc
		*page; /* made by ay_op_doc_make for the same op and only; NULL: it is made each time */
	enum ay_prompt_lang lang;
	const char *device; /* "2 CPUs of Intel ..."; NULL = unknown */
	const struct ay_ceilings
		*ceilings;       /* for the floor; NULL = not said. Not looked at where there is a page */
	const char *allow_torch; /* "none", "helpers", "all": the policy on library calls; NULL = helpers */
	const char *docstring;   /* torch's own; NULL = not at hand */
	const char *
		code; /* of a user's own operator: reference(), where nothing else says what it computes; or NULL */
	const char *templates; /* a user's folder; NULL = ours */
};

/* How fast it was on one case. */
struct ay_prompt_timed {
	const char *line;
	const struct ay_timing *timing;
};

/* What became of the last attempt. */
struct ay_prompt_past {
	const char *source;
	const char *reply; /* where no source was found in the last answer: what was wrong with it; else NULL */
	enum ay_verdict verdict;
	const char *line, *detail, *hint, *at; /* of the worst case; NULL = not known */
	const char *out; /* the output that `at`, want, got and bound speak of; NULL = there are none */
	long double want, got;
	double bound;
	const char *compiler; /* BUILD: what it said */
	int passed, judged;   /* cases */
	int ntimed;           /* it is right: how fast, case by case */
	const struct ay_prompt_timed *timed;
};

/* system and user are added to. past NULL: a first attempt. */
int ay_prompt_make(const struct ay_prompt_spec *s, const struct ay_prompt_past *past, struct ay_str *system,
		   struct ay_str *user, struct ay_err *err);
/* The functions that an answer may define, NULL-ended, for ay_reply_parse. In the arena. */
const char *const *ay_prompt_names(struct ay_arena *a, const struct ay_prompt_spec *s);
/* SHA-256 over the templates in use, in hex. Reads all of them: what is wrong with a folder is said here. */
int ay_prompt_hash(const char *templates, char hex[65], struct ay_err *err);

#endif
