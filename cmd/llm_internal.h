/* SPDX-License-Identifier: Apache-2.0
 *
 * llm_internal - the internal interface of the command llm, shared by its files.
 */
#ifndef AY_CMD_LLM_INTERNAL_H
#define AY_CMD_LLM_INTERNAL_H

#include "eval.h"
#include "llm/transcript.h"
#include "llm/prompt.h"
#include "llm/reply.h"
#include "llm/track_results.h"

/* An operator or overload for which the model shall write a kernel. */
struct llm_problem {
	const char *name; /* "aten::add", "aten::add.Tensor" */
	const char *file; /* file name without suffix, "aten.add", by which backends find it */
	const struct ay_entry_op *op;
	const struct ay_schema *only; /* the only overload; NULL: all */
	/* its cases, a part of the run's suite; the lines are borrowed */
	struct ay_suite suite;
	struct ay_suite held;      /* its held-out cases */
	const char *system, *user; /* prompt of a first attempt; NULL = not made yet */
	const char *docstring;     /* NULL = none */
	int64_t begin;             /* time of the first request for it; 0 = none yet */
	json_t *judged;            /* kernel_sha256 -> attempt record */
};

/* One attempt in progress, at lane->user. */
struct llm_try {
	struct ay_arena arena;
	struct ay_chat_answer answer;
	struct ay_reply reply;
	char sha256[65];
	const char *file;
	json_t *kernel; /* its kernel record; NULL = none came */
	json_t *worst;  /* record of its worst case; NULL = all passed */
	json_t *timed;  /* array of { case, timing } */
	struct ay_speed speed;
	const char *error; /* a failure of assay */
	int passed, cases;
	/* time of cases that were judged before a resume, or on a device that was lost */
	double wall_s;
	int64_t given;
	struct device_losses losses;
};

struct llm {
	struct eval *e;
	struct ay_err *err;
	enum ay_server server;
	enum ay_prompt_lang lang;
	enum ay_lang forge_lang;
	bool gpu; /* there is a GPU */
	const char *device;
	const char *prompts_then; /* SHA-256 of the templates with which a resumed run began */
	struct ay_ceilings ceilings;
	bool measured;
	enum ay_track_kind kind;
	struct ay_track track;
	int nproblem;
	struct llm_problem *problem;
	struct ay_drawing held; /* the held-out cases; n 0: none */
	struct ay_chat *chat;
	struct ay_worker_pool *pool;
	struct ay_transcript *old; /* exchanges of a resumed run; NULL = a new run */
	json_t *last;              /* lane number -> record of its last attempt */
	json_t *recalled;          /* attempt records of a resumed run, by id */
	json_t *chosen;            /* "chosen" records of a resumed run, by problem */
	const char *dir;
	bool made;           /* this process made the folder */
	int64_t answers;     /* answers received by this process */
	const char *failure; /* why the first failed request failed; NULL = none has */
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
/* Returns { source: number of operators in the whole dataset that the catalogue lacks }. Empty if
 * only a part was requested. */
json_t *llm_absent(const struct llm *m);
/* Makes a lane's next prompt, system and user part, in the arena. */
int llm_prompt(struct llm *m, const struct ay_lane *l, struct ay_arena *a, const char **system, const char **user,
	       struct ay_err *err);
/* Writes FOLDER_ROUND/NAME[__wW]END in the run folder. *path is in the arena. */
int llm_keep(struct llm *m, struct ay_arena *a, const char *folder, const struct ay_lane *l, const char *end,
	     const char *text, size_t len, const char **path, struct ay_err *err);
/* Removes the folder of a run without any answer, but only files that this process wrote. */
void llm_discard(struct llm *m);

/* --- one attempt (llm_try.c) --- */
/* Handles an answer: it is judged, or is of no use and ends the attempt. */
int llm_answered(struct llm *m, struct ay_lane *l, const struct ay_chat_answer *answer);
/* Handles an answer that came after its problem was over: it is counted but not judged. */
int llm_unused(struct llm *m, struct ay_lane *l, const char *id, const struct ay_chat_answer *answer);
/* Checks if another attempt at the problem has the same source. A source is judged once. */
enum llm_twin { LLM_TWIN_NONE, LLM_TWIN_JUDGING, LLM_TWIN_JUDGED };
enum llm_twin llm_twin(struct llm *m, const struct ay_lane *l);
/* JUDGED: applies the known result to this attempt too. */
int llm_same(struct llm *m, struct ay_lane *l);
/* Takes in a record of its kernel. */
void llm_note(struct llm_try *t, json_t *rec);
/* Handles the end of judging, or a kernel that cannot be judged. */
int llm_judged(struct llm *m, struct ay_lane *l);
void llm_release_tries(struct llm *m);
/* Restores the attempts of a resumed run from its records. */
int llm_recall(struct llm *m);
/* Describes the lane's last attempt for its next prompt, in the arena. Returns false if the next
 * prompt must not show it. */
bool llm_past(struct llm *m, const struct ay_lane *l, struct ay_arena *a, struct ay_prompt_past *past);

/* --- held-out cases (llm_held.c) --- */
/* Draws the cases of all problems. Called before the workers are started. */
int llm_draw_held(struct llm *m, struct ay_err *err);
/* Judges all solved kernels on their held-out cases, and adds their records. */
int llm_score_held(struct llm *m);
/* In a worker: judges one kernel and returns its record; NULL with err on failure. */
json_t *llm_judge_held(struct llm *m, const struct llm_problem *p, const char *file, const char *source,
		       size_t len, struct ay_err *err);

/* --- in a worker (llm_work.c); user is the struct llm --- */
void llm_work(void *user, const char *text, size_t len, struct ay_worker_out *out);

/* Print what would be asked (--print-prompt, --list). llm_print_prompts returns an exit status. */
int llm_print_prompts(struct llm *m);
void llm_print_list(const struct llm *m);

#endif
