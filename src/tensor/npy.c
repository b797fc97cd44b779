/* SPDX-License-Identifier: Apache-2.0
 *
 * Theory of operation. A file is a magic number, a header line that is a Python dictionary, and the
 * elements. The header is padded so that the elements begin at a multiple of 64. The format version
 * is 1.0, little-endian like every machine that assay runs on.
 */
#include "tensor/npy.h"

#include "base/arena.h"
#include "base/file.h"
#include "base/str.h"

#include <string.h>

enum { HEAD = 10, GRAIN = 64 };

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "descriptions say '<'");

static const struct {
	const char *descr, *name; /* NULL: numpy lacks it, and `as` is written instead */
	enum ay_dt as;
} formats[AY_DT_COUNT] = {
	[AY_DT_B8] = { "|b1", "bool", AY_DT_B8 },
	[AY_DT_U8] = { "|u1", "uint8", AY_DT_U8 },
	[AY_DT_I8] = { "|i1", "int8", AY_DT_I8 },
	[AY_DT_I16] = { "<i2", "int16", AY_DT_I16 },
	[AY_DT_I32] = { "<i4", "int32", AY_DT_I32 },
	[AY_DT_I64] = { "<i8", "int64", AY_DT_I64 },
	[AY_DT_F8E4M3FN] = { NULL, NULL, AY_DT_F32 },
	[AY_DT_F8E5M2] = { NULL, NULL, AY_DT_F32 },
	[AY_DT_F16] = { "<f2", "float16", AY_DT_F16 },
	[AY_DT_BF16] = { NULL, NULL, AY_DT_F32 },
	[AY_DT_F32] = { "<f4", "float32", AY_DT_F32 },
	[AY_DT_F64] = { "<f8", "float64", AY_DT_F64 },
	[AY_DT_C32] = { NULL, NULL, AY_DT_C64 },
	[AY_DT_C64] = { "<c8", "complex64", AY_DT_C64 },
	[AY_DT_C128] = { "<c16", "complex128", AY_DT_C128 },
};

enum ay_dt ay_npy_dtype(enum ay_dt dt)
{
	return formats[dt].as;
}

const char *ay_npy_name(enum ay_dt dt)
{
	return formats[dt].name;
}

static void add_head(struct ay_str *b, const struct ay_view *v)
{
	struct ay_str d = { 0 };
	size_t n;

	ay_str_addf(&d, "{'descr': '%s', 'fortran_order': False, 'shape': (", formats[ay_npy_dtype(v->dt)].descr);
	for (int i = 0; i < v->ndim; i++)
		ay_str_addf(&d, "%lld,%s", (long long)v->shape[i], i + 1 < v->ndim ? " " : "");
	ay_str_add(&d, "), }");
	while ((HEAD + d.len + 1) % GRAIN)
		ay_str_addc(&d, ' ');
	ay_str_addc(&d, '\n');
	n = d.len;
	ay_str_addn(b, "\x93NUMPY\x01\x00", 8);
	ay_str_addc(b, (char)(n & 0xff));
	ay_str_addc(b, (char)(n >> 8));
	ay_str_addn(b, d.s, n);
	ay_str_release(&d);
}

/* Converts one element through numbers; exact. */
static void convert(const struct ay_view *v, const void *src, void *dst)
{
	const enum ay_dt to = ay_npy_dtype(v->dt);
	long double complex z;

	ay_row_load_lz(v->dt, src, 1, 1, &z);
	z = v->conj ? CMPLXL(creall(z), -cimagl(z)) : z;
	z = v->neg ? CMPLXL(-creall(z), -cimagl(z)) : z;
	ay_row_store_lz(to, dst, 1, 1, &z);
}

int ay_npy_write(const char *path, const struct ay_view *v, struct ay_err *err)
{
	const bool plain = ay_npy_dtype(v->dt) == v->dt && !v->conj && !v->neg;
	const size_t from = (size_t)ay_dt_info(v->dt)->bytes, to = (size_t)ay_dt_info(ay_npy_dtype(v->dt))->bytes;
	const int64_t n = ay_numel_of(v);
	struct ay_str b = { 0 };
	uint8_t *all;
	int rc;

	add_head(&b, v);
	all = ay_xrealloc(NULL, b.len + (size_t)n * to + 1);
	memcpy(all, b.s, b.len);
	for (int64_t i = 0; i < n; i++) {
		const uint8_t *src = (const uint8_t *)v->data + (size_t)ay_view_at(v, i) * from;
		uint8_t *dst = all + b.len + (size_t)i * to;

		if (plain)
			memcpy(dst, src, to);
		else
			convert(v, src, dst);
	}
	rc = ay_file_write(path, all, b.len + (size_t)n * to, err);
	ay_xfree(all);
	ay_str_release(&b);
	return rc;
}
