/* SPDX-License-Identifier: Apache-2.0
 *
 * backend - a folder of kernels: finds out which file implements which operator.
 *
 * A file is named after its C symbol (aten_add_Tensor.c) or after KernelGenBench's function
 * (add_Tensor.c; add__Tensor.c is add_.Tensor). Or it lies in a folder named as in BackendBench
 * (add__Tensor/ is add.Tensor, add___Tensor/ is add_.Tensor). A folder name without "__" means the
 * default overload, else .Tensor, else the only overload. In a file's name, text after a further
 * "__" is free for the author.
 */
#ifndef AY_JUDGE_BACKEND_H
#define AY_JUDGE_BACKEND_H

#include "forge/forge.h"
#include "op/registry.h"

struct ay_kernel_file {
	const char *path;
	size_t folder;                /* the length of the part of the path that names the scanned folder */
	const struct ay_entry_op *op; /* NULL: the name is not understood, see why */
	/* the overload that its name states; NULL: any overload of the operator */
	const struct ay_schema *schema;
	enum ay_lang lang;
	const char *why;
};

struct ay_backend {
	int n, cap;
	struct ay_kernel_file *file; /* sorted by path; names live in the arena */
};

/* Lists the files of the folder and its subfolders, two levels deep. Skips hidden names and files
 * that cannot be kernels. A file that may be meant as a kernel but is not understood is listed with
 * a reason, and so is a file or folder that cannot be read, a FIFO, a device and the like. `dir` may
 * be a symbolic link. Links in it are listed with a reason, unless follow_links. */
int ay_backend_scan(struct ay_backend *b, struct ay_arena *a, const struct ay_registry *r, const char *dir,
		    bool follow_links, struct ay_err *err);
/* Reads a file that the scan has listed. With follow_links false it fails if a link has taken the
 * place of the file or of its folder since. */
int ay_kernel_file_read(const struct ay_kernel_file *f, struct ay_arena *a, bool follow_links, size_t max,
			char **data, size_t *len, struct ay_err *err);
/* Finds the operator by the name of a file. Returns NULL if it names no operator. *schema is NULL
 * if it names no overload. */
const struct ay_entry_op *ay_backend_file_op(const struct ay_registry *r, struct ay_arena *a, const char *path,
					     const struct ay_schema **schema);
/* Finds the operator by the name of a folder ("add__Tensor"). Returns NULL if it names no
 * operator. */
const struct ay_entry_op *ay_backend_folder_op(const struct ay_registry *r, struct ay_arena *a, const char *folder,
					       const struct ay_schema **schema);
void ay_backend_release(struct ay_backend *b);

#endif
