/* SPDX-License-Identifier: Apache-2.0
 *
 * prompt - makes the prompt for a model: the operator's page and the outcome of the model's last
 * attempt.
 *
 * Prompts are made from templates (src/llm/prompts/\*.txt, packed into the binary). A file of the
 * same name in the user's folder replaces a template. The {{PLACES}} in a template are filled from
 * the operator's file. There are templates for a new kernel, for a kernel to be repaired, for a
 * kernel to be made faster, and for an answer without a kernel. They include further templates: the
 * operator's page, the rules of each language and worked examples. docs/prompts.md lists them all.
 *
 * A prompt never holds the seed of a case or anything else that follows from a run's secret.
 * Untrusted text (the model's own source, compiler output, an exception) is cut to length. It
 * stands in a fence that is longer than any fence in the text.
 */
#ifndef AY_LLM_PROMPT_H
#define AY_LLM_PROMPT_H

#include "judge/op_doc.h"
#include "judge/verdict.h"
#include "op/registry.h"
#include "timing/timing.h"

/* The languages: value of --lang, name, file suffix, label of a code block. */
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
/* Returns the file suffix, such as ".c". ay_lang_of maps it to the forge's language, if the forge
 * has one. */
const char *ay_prompt_lang_end(enum ay_prompt_lang lang);
/* Returns -1 if the word is no language. */
int ay_prompt_lang_find(const char *word, enum ay_prompt_lang *lang, struct ay_err *err);

/* All fields are borrowed. */
struct ay_prompt_spec {
	const struct ay_registry *registry;
	const struct ay_entry_op *op;
	const struct ay_schema *only; /* the only overload to write; NULL: all of the operator's */
	/* made by ay_op_doc_make for the same op and only; NULL: it is made for each prompt */
	const struct ay_op_doc *page;
	enum ay_prompt_lang lang;
	const char *device;                 /* "2 CPUs of Intel ..."; NULL = unknown */
	const struct ay_ceilings *ceilings; /* for the floor; NULL = none. Ignored if there is a page. */
	/* policy on library calls, "none", "helpers" or "all"; NULL = helpers */
	const char *allow_torch;
	const char *docstring; /* torch's docstring; NULL = none */
	/* source of reference() of a user's own operator, if nothing else says what it computes;
	 * else NULL */
	const char *code;
	const char *templates; /* the user's folder; NULL = built-in templates only */
};

/* The kernel's time on one case. */
struct ay_prompt_timed {
	const char *line;
	const struct ay_timing *timing;
};

/* The outcome of the last attempt. */
struct ay_prompt_past {
	const char *source;
	const char *reply; /* why no source was found in the last answer; NULL if one was found */
	enum ay_verdict verdict;
	const char *line, *detail, *hint, *at; /* of the worst case; NULL = unknown */
	/* the output that `at`, want, got and bound refer to; NULL = there are none */
	const char *out;
	long double want, got;
	double bound;
	const char *compiler; /* verdict BUILD: the compiler's output */
	int passed, judged;   /* numbers of cases */
	int ntimed;           /* if it is right: its time for each of these cases */
	const struct ay_prompt_timed *timed;
};

/* Appends to system and user. past is NULL for a first attempt. */
int ay_prompt_make(const struct ay_prompt_spec *s, const struct ay_prompt_past *past, struct ay_str *system,
		   struct ay_str *user, struct ay_err *err);
/* Returns the names of the functions that an answer may define, NULL at the end, for
 * ay_reply_parse. In the arena. */
const char *const *ay_prompt_names(struct ay_arena *a, const struct ay_prompt_spec *s);
/* Computes the SHA-256 of the templates in use, in hex. Reads all of them, so it reports every
 * error of the user's folder. */
int ay_prompt_hash(const char *templates, char hex[65], struct ay_err *err);

#endif
