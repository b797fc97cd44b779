/* SPDX-License-Identifier: Apache-2.0
 *
 * forge - from a kernel's source to a shared object in a sealed memfd.
 *
 * The source is compiled under a fixed name with a fixed command line and the glue of its operators included
 * before it, so that a wrong signature is the compiler's error, not a crash. Objects are cached under the SHA-256
 * of source, glue, headers, command line, compiler and processor.
 */
#ifndef AY_FORGE_FORGE_H
#define AY_FORGE_FORGE_H

#include "base/arena.h"
#include "base/err.h"
#include "op/proto.h"
#include "sandbox/sandbox.h"

#include <stdbool.h>

enum ay_lang {
	AY_LANG_C,
	AY_LANG_CXX,
	AY_LANG_SO,
	AY_LANG_CU,        /* CUDA C++ with a host entry: for a GPU */
	AY_LANG_PY,        /* run as it is */
	AY_LANG_ATEN,      /* torch's own functions: there is no source */
	AY_LANG_FLAG_GEMS, /* those of the package of that name: as little */
};

struct ay_forge {
	struct ay_arena arena;
	const char *cc, *cxx;       /* full paths; clang first, then gcc; NULL = none found */
	const char *cc_id, *cxx_id; /* which file each is: path, size, time; for the cache key */
	const char *nvcc, *nvcc_id; /* likewise */
	const char *cuda_arch;      /* what nvcc builds for: "sm_90a"; set after init by whoever has a GPU */
	const char *cpu;       /* model name and a digest of its features, for the cache key and the records */
	const char *cache_dir; /* NULL: no cache */
	/* For the compiler's jail: set after init by whoever has one, borrowed; NULL: one of its own per build,
	 * full. */
	struct ay_sandbox *sandbox;
};

struct ay_built {
	bool ok;
	int fd; /* sealed memfd of the shared object; the caller closes it; -1 if !ok */
	bool cached;
	double wall_s;       /* of the compiler */
	char sha256[65];     /* of the source */
	const char *log;     /* the compiler's words, safe to print and cut; in the arena */
	const char *command; /* the command line, for the record */
};

/* Finds the compilers. cache_dir NULL: $XDG_CACHE_HOME/assay or ~/.cache/assay; "" = none. ASSAY_CC, ASSAY_CXX and
 * ASSAY_NVCC name them. */
int ay_forge_init(struct ay_forge *f, const char *cache_dir, struct ay_err *err);
void ay_forge_release(struct ay_forge *f);
/* First line of `program --version`; NULL and err if it does not run. In the arena. */
const char *ay_forge_version(struct ay_arena *a, const char *program, struct ay_err *err);
/* By file name; -1 and a message that lists what is known. */
int ay_lang_of(const char *path, enum ay_lang *lang, struct ay_err *err);
/*
 * A kernel that does not compile is built->ok = false, not an error. For AY_LANG_SO `source` is the object itself:
 * it is wrapped in one that carries it and looks its functions up by name, so their signatures are not checked.
 * Without a compiler an object is taken as it is, if the forge made it elsewhere (its glue is inside).
 */
int ay_forge_build(struct ay_forge *f, struct ay_arena *a, const char *source, size_t len, enum ay_lang lang,
		   int nproto, const struct ay_proto *const *proto, double timeout_s, struct ay_built *built,
		   struct ay_err *err);

#endif
