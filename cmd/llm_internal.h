/* SPDX-License-Identifier: Apache-2.0
 *
 * llm_inside - the inside of the command llm, shared by its files.
 */
#ifndef AY_CMD_LLM_INTERNAL_H
#define AY_CMD_LLM_INTERNAL_H

#include "eval.h"
#include "llm/transcript.h"
#include "llm/prompt.h"
#include "llm/reply.h"
#include "llm/track_results.h"

/* An operator or overload that wants a kernel. */
struct llm_problem {
	const char *name; /* "aten::add", "aten::add.Tensor" */
	const char *file; /* "aten.add", without its end: what backends find it by */
	const struct ay_entry_op *op;
	const struct ay_schema *only; /* NULL: all overloads */
	struct ay_suite suite;        /* its cases, a part of the run's; borrowed lines */
	const char *system, *user;    /* the prompt of a first attempt; NULL = not made yet */
	const char *docstring;        /* NULL = none */
	int64_t begin;                /* when it was first asked for; 0 = not yet */
	json_t *judged;               /* kernel_sha256 -> attempt record */
};

/* One attempt under way, at lane->user. */
struct llm_try {
	struct ay_arena arena;
	struct ay_chat_answer answer;
	struct ay_reply reply;
	char sha256[65];
	const char *file;
	json_t *kernel; /* its record; NULL = none came */
	json_t *worst;  /* the case record to show for it; NULL = all passed */
	json_t *timed;  /* array of { case, timing } */
	struct ay_speed speed;
	const char *error; /* a failure of ours */
	int passed, cases;
	double wall_s; /* of its cases, where they were judged before a resume, or on a device that was lost */
	int64_t given;
	struct device_losses losses;
};

struct llm {
	struct eval *e;
	struct ay_err *err;
	enum ay_server server;
	enum ay_prompt_lang lang;
	enum ay_lang forge_lang;
	bool gpu; /* there is one */
	const char *device;
	const char *prompts_then; /* SHA-256 of the templates that a resumed run began with */
	struct ay_ceilings ceilings;
	bool measured;
	enum ay_track_kind kind;
	struct ay_track track;
	int nproblem;
	struct llm_problem *problem;
	struct ay_chat *chat;
	struct ay_worker_pool *crew;
	struct ay_transcript *old; /* answers of a resumed run; NULL = it is new */
	json_t *last;              /* number of a lane -> the record of its last attempt */
	json_t *recalled;          /* attempt records of a resumed run, by id */
	json_t *chosen;            /* its chosen records, by problem */
	const char *dir;
	bool made;           /* the folder is of this process */
	int64_t answers;     /* that came in this process */
	const char *failure; /* why the first request failed for good; NULL = none has */
	int attempts, solved, judging;
	double usd;
	bool unpriced;
};

/* --- settings (llm.c) --- */
int llm_settings(struct llm *m, struct ay_err *err);
json_t *llm_settings_json(const struct llm *m);

/* --- prompts and files (llm_ask.c) --- */
int llm_make_problems(struct llm *m, struct ay_err *err);
void llm_release_problems(struct llm *m);
/* { source: how many operators of the whole dataset are not in the catalogue yet }; empty where a part was asked for. */
json_t *llm_absent(const struct llm *m);
/* The next question of a lane: both parts, in the arena. */
int llm_prompt(struct llm *m, const struct ay_lane *l, struct ay_arena *a, const char **system, const char **user,
	       struct ay_err *err);
/* FOLDER_ROUND/NAME[__wW]END of the run; the path in the arena. */
int llm_keep(struct llm *m, struct ay_arena *a, const char *folder, const struct ay_lane *l, const char *end,
	     const char *text, size_t len, const char **path, struct ay_err *err);
/* Takes the folder of a run away in which nothing was answered: what we wrote, no more. */
void llm_discard(struct llm *m);

/* --- one attempt (llm_try.c) --- */
/* An answer: to be judged, or of no use, which ends the attempt. */
int llm_answered(struct llm *m, struct ay_lane *l, const struct ay_chat_answer *answer);
/* An answer that came when the problem was over already: it is counted, and not judged. */
int llm_unused(struct llm *m, struct ay_lane *l, const char *id, const struct ay_chat_answer *answer);
/* The same text from another attempt at the problem: it is judged once. */
enum llm_twin { LLM_TWIN_NONE, LLM_TWIN_JUDGING, LLM_TWIN_JUDGED };
enum llm_twin llm_twin(struct llm *m, const struct ay_lane *l);
/* JUDGED: what is known of it holds for this attempt too. */
int llm_same(struct llm *m, struct ay_lane *l);
/* A record of its kernel, as it came. */
void llm_note(struct llm_try *t, json_t *rec);
/* Its kernel is judged, or cannot be. */
int llm_judged(struct llm *m, struct ay_lane *l);
void llm_release_tries(struct llm *m);
/* Attempts of a resumed run, from its records. */
int llm_recall(struct llm *m);
/* What became of the lane's last attempt, if the next is to see it. In the arena. */
bool llm_past(struct llm *m, const struct ay_lane *l, struct ay_arena *a, struct ay_prompt_past *past);

/* --- in a worker (llm_work.c); user is the struct llm --- */
void llm_work(void *user, const char *text, size_t len, struct ay_worker_out *out);

/* --print-prompt and --list: what would be asked; both give an exit status or print only. */
int llm_print_prompts(struct llm *m);
void llm_print_list(const struct llm *m);

#endif
