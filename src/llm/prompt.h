/* SPDX-License-Identifier: Apache-2.0
 *
 * prompt - what a model is asked: the operator's page, and what became of its last attempt.
 *
 * Made from templates (src/llm/prompts/\*.txt, packed into the binary; a user's folder replaces any of them by name)
 * with {{PLACES}} that are filled from the operator's file. One template for a new kernel, one for a kernel to be
 * mended, one for a kernel to be made faster, one worked example per language.
 */
#ifndef AY_LLM_PROMPT_H
#define AY_LLM_PROMPT_H

#include "forge/forge.h"
#include "judge/verdict.h"
#include "llm/chat.h"
#include "op/registry.h"
#include "timing/timing.h"

struct ay_prompt_spec {
	const struct ay_entry_op *op;
	const struct ay_schema *only; /* one overload; NULL: all of the operator's */
	enum ay_lang lang;
	bool triton;           /* of AY_LANG_PY: to be written with Triton */
	const char *device;    /* "2 CPUs of Intel ..."; NULL = unknown */
	const struct ay_ceilings *ceilings; /* for the floor; NULL = not said */
	const char *allow_torch; /* "none", "helpers", "all": the policy on library calls */
	const char *docstring; /* torch's own; NULL = not at hand */
	const char *templates; /* a user's folder; NULL = ours */
};

/* What became of the last attempt. */
struct ay_prompt_past {
	const char *source;
	const char *reply; /* where no source was found in the last answer: what was wrong with it; else NULL */
	enum ay_verdict verdict;
	const char *line, *detail, *hint, *at; /* of the worst case; NULL = not known */
	double want, got, bound;
	const char *compiler;           /* BUILD: what it said */
	int passed, judged;             /* cases */
	const struct ay_timing *timing; /* it is right: how fast */
};

/* system and user are added to. past NULL: a first attempt. */
int ay_prompt_make(const struct ay_prompt_spec *s, const struct ay_prompt_past *past, struct ay_str *system,
		   struct ay_str *user, struct ay_err *err);
/* SHA-256 over the templates in use, in hex. */
int ay_prompt_hash(const char *templates, char hex[65], struct ay_err *err);

#endif
