/* SPDX-License-Identifier: Apache-2.0
 *
 * backend - a folder of kernels: which file is for which operator.
 *
 * A file is named after its C symbol (aten_add_Tensor.c) or KernelGenBench's function (add_Tensor.c, add__Tensor.c
 * is add_.Tensor), or lies in a folder named as BackendBench does (add__Tensor/ is add.Tensor, add___Tensor/ is
 * add_.Tensor; without "__" the default overload, else .Tensor, else the only one). What follows a further "__" in
 * a file's name is the author's.
 */
#ifndef AY_JUDGE_BACKEND_H
#define AY_JUDGE_BACKEND_H

#include "forge/forge.h"
#include "op/registry.h"

struct ay_kernel_file {
	const char *path;
	const struct ay_entry_op *op;   /* NULL: not understood, see why */
	const struct ay_schema *schema; /* the overload that its name says; NULL: any of the operator's */
	enum ay_lang lang;
	const char *why;
};

struct ay_backend {
	int n, cap;
	struct ay_kernel_file *file; /* sorted by path; names live in the arena */
};

/* Reads the folder and its folders, two levels deep; hidden names and what is no source are left out, with a
 * reason where somebody might have meant it. */
int ay_backend_scan(struct ay_backend *b, struct ay_arena *a, const struct ay_registry *r, const char *dir,
		    struct ay_err *err);
/* By a file's own name; *schema NULL if that names no overload. NULL if it names no operator. */
const struct ay_entry_op *ay_backend_file_op(const struct ay_registry *r, struct ay_arena *a, const char *path,
					     const struct ay_schema **schema);
/* By folder name ("add__Tensor"); NULL if it names no operator. */
const struct ay_entry_op *ay_backend_folder_op(const struct ay_registry *r, struct ay_arena *a, const char *folder,
					       const struct ay_schema **schema);
void ay_backend_release(struct ay_backend *b);

#endif
