/* SPDX-License-Identifier: Apache-2.0
 *
 * llm - options for kernels written by a language model, shared by the command llm and eval's
 * backends llm and kernel_agent. llm.c has the command and the settings, llm_run.c the loop,
 * llm_try.c one attempt, llm_ask.c prompts and files, llm_work.c the judging in a worker.
 */
#ifndef AY_CMD_LLM_H
#define AY_CMD_LLM_H

#include "cmd.h"
#include "llm/chat.h"
#include "op/drawn.h"

enum { LLM_ROUNDS_MAX = 1000, LLM_LANES_MAX = 256, LLM_IN_FLIGHT_MAX = 2000 };

/* NULL, 0, a number below 0 or false means: not given. */
struct llm_options {
	const char *server, *model, *lang, *prompts, *replay;
	int64_t rounds, samples, in_flight, max_tokens;
	int64_t agent_workers, agent_rounds, held_out;
	double temperature, request_timeout;
	bool reflection, best, per_overload, print_prompt, single, debug;
};

#define LLM_DEFAULTS ((struct llm_options){ .temperature = -1 })

#define LLM_OPTS(o)                                                                                               \
	{ "server-type", OPT_TEXT, &(o)->server, "S",                                                             \
	  "openai ($OPENAI_API_KEY, any compatible service by $OPENAI_BASE_URL), anthropic "                      \
	  "($ANTHROPIC_API_KEY, $ANTHROPIC_BASE_URL) or replay" },                                                \
		{ "model-name|llm-model", OPT_TEXT, &(o)->model, "M",                                             \
		  "the model (openai gpt-4o, anthropic claude-sonnet-4-20250514)" },                              \
		{ "lang|dsl", OPT_TEXT, &(o)->lang, "L",                                                          \
		  "what kernels are written in: triton, cuda, c, python (triton with a GPU, else c)" },           \
		{ "max-rounds|llm-attempts",                                                                      \
		  OPT_INT,                                                                                        \
		  &(o)->rounds,                                                                                   \
		  "K",                                                                                            \
		  "attempts at each operator, until one is right (10; backend llm 5)",                            \
		  1,                                                                                              \
		  LLM_ROUNDS_MAX },                                                                               \
		{ "samples",                                                                                      \
		  OPT_INT,                                                                                        \
		  &(o)->samples,                                                                                  \
		  "N",                                                                                            \
		  "draw N independent samples of each, right or not: gives the unbiased pass@k",                  \
		  1,                                                                                              \
		  LLM_ROUNDS_MAX },                                                                               \
		{ "reflection", OPT_FLAG, &(o)->reflection, NULL,                                                 \
		  "each round sees what became of the last one (always, of the backends llm and kernel_agent)" }, \
		{ "best", OPT_FLAG, &(o)->best, NULL,                                                             \
		  "go on after a right kernel, with its times, and take the fastest" },                           \
		{ "per-overload", OPT_FLAG, &(o)->per_overload, NULL, "ask for one overload at a time" },         \
		{ "held-out",                                                                                     \
		  OPT_INT,                                                                                        \
		  &(o)->held_out,                                                                                 \
		  "N",                                                                                            \
		  "judge solved kernels at the end on N drawn cases of each overload that no prompt has shown "   \
		  "(18, where cases are drawn)",                                                                  \
		  1,                                                                                              \
		  AY_DRAWN_MAX },                                                                                 \
		{ "temperature", OPT_REAL, &(o)->temperature, "T", "of sampling (0.8)", 0, 2 },                   \
		{ "max-tokens", OPT_INT, &(o)->max_tokens, "N", "of one answer (16384)", 1, OPT_ANY },            \
		{ "num-workers", OPT_INT, &(o)->in_flight, "N", "requests at once (150)", 1, LLM_IN_FLIGHT_MAX }, \
		{ "request-timeout",                                                                              \
		  OPT_REAL,                                                                                       \
		  &(o)->request_timeout,                                                                          \
		  "S",                                                                                            \
		  "seconds that a request may go without a byte (300)",                                           \
		  OPT_ABOVE_0,                                                                                    \
		  SECONDS_MAX },                                                                                  \
		{ "prompts", OPT_TEXT, &(o)->prompts, "DIR", "templates to use in place of ours" },               \
		{ "replay-from", OPT_TEXT, &(o)->replay, "RUN", "with --server-type replay: whose answers" },     \
	{                                                                                                         \
		"print-prompt", OPT_FLAG, &(o)->print_prompt, NULL,                                               \
			"print the prompts, and send no request: no key is needed"                                \
	}

/* Options of the backend kernel_agent. */
#define AGENT_OPTS(o)                                                                 \
	{ "kernel-agent-workers",                                                     \
	  OPT_INT,                                                                    \
	  &(o)->agent_workers,                                                        \
	  "W",                                                                        \
	  "kernel_agent: workers for each operator, side by side (4)",                \
	  1,                                                                          \
	  LLM_LANES_MAX },                                                            \
	{                                                                             \
		"kernel-agent-max-rounds", OPT_INT, &(o)->agent_rounds, "R",          \
			"kernel_agent: rounds of each worker (10)", 1, LLM_ROUNDS_MAX \
	}

/* Returns true if a model writes the kernels of this backend. */
bool llm_is_backend(const char *backend);
/* Returns the name of the first option above that was given, or NULL, for callers that must refuse
 * such options. */
const char *llm_given(const struct llm_options *o);

#endif
