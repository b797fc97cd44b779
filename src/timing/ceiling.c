/* SPDX-License-Identifier: Apache-2.0 */
#include "timing/ceiling.h"

#include "base/file.h"
#include "base/json.h"
#include "base/machine.h"
#include "base/process.h"
#include "base/str.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FORMAT = 1, FILE_MAX = 1 << 20, MACHINES_MAX = 16 };

/* --- what is known --------------------------------------------------------------------------------------- */

static double speed_at(const struct ay_ceiling_row *r, double bytes)
{
	double best = r->point[0].per_s;

	for (int i = 1; i < r->n && r->point[i].bytes <= bytes; i++)
		best = r->point[i].per_s;
	return best;
}

/* Returns the best speed among sizes of at least `bytes`; 0: there are none. */
static double speed_from(const struct ay_ceiling_row *r, double bytes)
{
	double best = 0;

	for (int i = 0; i < r->n; i++)
		best = r->point[i].bytes >= bytes ? fmax(best, r->point[i].per_s) : best;
	return best;
}

static const struct ay_ceiling_row *row_for(const struct ay_ceilings *c, int threads)
{
	AY_ASSERT(c->nthread > 0);
	for (int i = 0; i < c->nthread; i++)
		if (c->row[i].threads >= threads)
			return &c->row[i];
	return &c->row[c->nthread - 1];
}

double ay_ceiling_bytes_per_s(const struct ay_ceilings *c, int threads, double pool_bytes)
{
	return speed_at(row_for(c, threads), pool_bytes);
}

const char *ay_product_name(enum ay_product p)
{
	static const char *const names[] = {
#define P(id, name) name,
		AY_PRODUCTS(P)
#undef P
	};

	return names[p];
}

/* Returns the kind of matrix product that a GPU uses for a dtype; AY_PRODUCT_COUNT: none. */
static enum ay_product product_of(enum ay_dt dt)
{
	switch (dt) {
	case AY_DT_F64: return AY_PRODUCT_F64;
	case AY_DT_F32: return AY_PRODUCT_F32;
	case AY_DT_F16: return AY_PRODUCT_F16;
	case AY_DT_BF16: return AY_PRODUCT_BF16;
	case AY_DT_I8: return AY_PRODUCT_I8;
	case AY_DT_F8E4M3FN:
	case AY_DT_F8E5M2: return AY_PRODUCT_F8;
	default: return AY_PRODUCT_COUNT;
	}
}

double ay_ceiling_flops(const struct ay_ceilings *c, int threads, enum ay_dt dt)
{
	const struct ay_ceiling_row *r = row_for(c, threads);
	const enum ay_dt part = ay_dt_component(dt);
	const enum ay_product p = product_of(part);
	const double plain = part == AY_DT_F64 ? r->f64 : r->f32;

	if (!c->gpu.read || p == AY_PRODUCT_COUNT)
		return plain;
	return p == AY_PRODUCT_F64 || p == AY_PRODUCT_F32 ? fmax(plain, c->gpu.product[p]) : c->gpu.product[p];
}

enum ay_level ay_ceiling_level(const struct ay_ceilings *c, double pool_bytes)
{
	int last = -1;

	for (int i = 0; i < AY_LEVEL_MEMORY; i++)
		if (c->cache[i])
			last = i;
	for (int i = 0; i <= last; i++)
		if (c->cache[i] && pool_bytes <= (double)c->cache[i] * (i == last ? 2 : 1))
			return (enum ay_level)i;
	return AY_LEVEL_MEMORY;
}

/* Returns the level that holds `bytes` if they are divided among the threads of a row. */
static enum ay_level level_of_shares(const struct ay_ceilings *c, const struct ay_ceiling_row *r, double bytes)
{
	for (int i = 0; i < AY_LEVEL_MEMORY; i++)
		if (bytes / (i < AY_LEVEL_L3 ? r->threads : 1) <= (double)c->cache[i])
			return (enum ay_level)i;
	return AY_LEVEL_MEMORY;
}

/* Returns the speed that a point of a row is raised to. It is the largest of three: the best speed
 * of its cache in this row, the speed of fewer threads, and, if each thread has a cache of its
 * own, n times the speed of one thread. */
static double least_at(const struct ay_ceilings *c, const struct ay_ceiling_row *r, double bytes)
{
	enum ay_level level = level_of_shares(c, r, bytes);
	double least = r > c->row ? speed_at(r - 1, bytes) : 0;

	if (r > c->row && level < AY_LEVEL_L3)
		least = fmax(least, r->threads * speed_at(c->row, bytes / r->threads));
	for (int i = 0; i < r->n && level != AY_LEVEL_MEMORY; i++)
		if (level_of_shares(c, r, r->point[i].bytes) == level)
			least = fmax(least, r->point[i].per_s);
	return least;
}

/* Raises the speeds of one thread alone to those of one among many threads. */
static void raise_first(struct ay_ceilings *c, const struct ay_ceiling_row *r)
{
	struct ay_ceiling_row *one = &c->row[0];

	for (int i = 0; i < one->n; i++)
		one->point[i].per_s = fmax(one->point[i].per_s,
					   speed_from(r, one->point[i].bytes * r->threads) / r->threads);
	one->f32 = fmax(one->f32, r->f32 / r->threads);
	one->f64 = fmax(one->f64, r->f64 / r->threads);
}

static void raise_rows(struct ay_ceilings *c)
{
	for (int i = 0; i < c->nthread; i++) {
		struct ay_ceiling_row *r = &c->row[i];

		for (int k = r->n - 1; k >= 0; k--) {
			double least = fmax(k + 1 < r->n ? r->point[k + 1].per_s : 0,
					    least_at(c, r, r->point[k].bytes));

			r->point[k].per_s = fmax(r->point[k].per_s, least);
		}
		r->f64 = fmax(r->f64, c->row[0].f64 * r->threads);
		r->f32 = fmax(r->f32, fmax(r->f64, c->row[0].f32 * r->threads));
	}
}

void ay_ceilings_repair(struct ay_ceilings *c)
{
	raise_rows(c);
	for (int i = 1; i < c->nthread; i++)
		raise_first(c, &c->row[i]);
	raise_rows(c); /* figures that row 0 got from the others hold for all rows */
}

/* --- read back: hostile text ----------------------------------------------------------------------------- */

static bool number(const json_t *j, double lo, double hi, double *x)
{
	*x = json_is_number(j) ? json_number_value(j) : NAN;
	return *x >= lo && *x <= hi;
}

static bool whole(const json_t *j, int lo, int hi, int *x)
{
	json_int_t i = json_integer_value(j);

	if (!json_is_integer(j) || i < lo || i > hi)
		return false;
	*x = (int)i;
	return true;
}

/* Accepts only text that assay may have written itself, because it is printed. */
static bool word(const json_t *j, char *dst, size_t size)
{
	const char *s = json_string_value(j);

	if (!s || !s[0] || strlen(s) >= size)
		return false;
	for (const char *p = s; *p; p++)
		if (*p < ' ' || *p > '~')
			return false;
	snprintf(dst, size, "%s", s);
	return true;
}

static bool parse_row(const json_t *j, struct ay_ceiling_row *r)
{
	const json_t *curve = json_object_get(j, "curve");

	if (!whole(json_object_get(j, "threads"), 1, 1 << 20, &r->threads) ||
	    !number(json_object_get(j, "f32"), 1e6, 1e18, &r->f32) ||
	    !number(json_object_get(j, "f64"), 1e6, 1e18, &r->f64) || !json_array_size(curve) ||
	    json_array_size(curve) > AY_CURVE)
		return false;
	r->n = (int)json_array_size(curve);
	for (int i = 0; i < r->n; i++) {
		const json_t *pair = json_array_get(curve, (size_t)i);
		struct ay_curve_point *p = &r->point[i];

		if (json_array_size(pair) != 2 || !number(json_array_get(pair, 0), 1, 1e15, &p->bytes) ||
		    !number(json_array_get(pair, 1), 1e6, 1e18, &p->per_s))
			return false;
		if (i && (p->bytes <= p[-1].bytes || p->per_s > p[-1].per_s))
			return false;
	}
	return true;
}

static bool parse_figures(const json_t *j, struct ay_gpu_figures *g)
{
	const json_t *products = json_object_get(j, "products");

	if (!number(json_object_get(j, "read"), 1e6, 1e18, &g->read) ||
	    !number(json_object_get(j, "write"), 1e6, 1e18, &g->write) ||
	    !number(json_object_get(j, "copy"), 1e6, 1e18, &g->copy) ||
	    !number(json_object_get(j, "launch_ns"), 0, 1e9, &g->launch_ns) ||
	    !number(json_object_get(j, "kernel_ns"), 0, 1e9, &g->kernel_ns) ||
	    !number(json_object_get(j, "latency_ns"), 0, 1e9, &g->latency_ns) ||
	    !number(json_object_get(j, "wall_s"), 0, 1e9, &g->wall_s) ||
	    !whole(json_object_get(j, "sm_mhz"), 0, 1 << 20, &g->sm_mhz) ||
	    !whole(json_object_get(j, "memory_mhz"), 0, 1 << 20, &g->memory_mhz) || !json_is_object(products))
		return false;
	for (int i = 0; i < AY_PRODUCT_COUNT; i++) {
		const json_t *x = json_object_get(products, ay_product_name((enum ay_product)i));

		if (x && !number(x, 1e6, 1e18, &g->product[i]))
			return false;
	}
	return true;
}

static bool parse_machine(const json_t *j, struct ay_ceilings *c)
{
	const json_t *rows = json_object_get(j, "rows"), *cache = json_object_get(j, "cache");
	const json_t *gpu = json_object_get(j, "gpu");

	*c = (struct ay_ceilings){ 0 };
	if (!word(json_object_get(j, "cpu"), c->cpu, sizeof c->cpu) ||
	    !word(json_object_get(j, "when"), c->when, sizeof c->when) ||
	    !whole(json_object_get(j, "cpus"), 1, 1 << 20, &c->cpus) ||
	    !json_is_boolean(json_object_get(j, "quick")) || json_array_size(cache) != AY_LEVEL_MEMORY ||
	    !json_array_size(rows) || json_array_size(rows) > AY_CEILING_THREADS)
		return false;
	c->quick = json_is_true(json_object_get(j, "quick"));
	if (gpu && !parse_figures(gpu, &c->gpu))
		return false;
	for (int i = 0; i < AY_LEVEL_MEMORY; i++) {
		double bytes;

		if (!number(json_array_get(cache, (size_t)i), 0, 1e15, &bytes))
			return false;
		c->cache[i] = (uint64_t)bytes;
	}
	c->nthread = (int)json_array_size(rows);
	for (int i = 0; i < c->nthread; i++) {
		if (!parse_row(json_array_get(rows, (size_t)i), &c->row[i]))
			return false;
		if (i ? c->row[i].threads <= c->row[i - 1].threads : c->row[i].threads != 1)
			return false;
	}
	return c->row[c->nthread - 1].threads == c->cpus;
}

/* Reads the whole file; NULL: it does not exist, or assay did not write it. The caller drops the
 * reference. */
static json_t *read_file(struct ay_arena *a, const char *path)
{
	struct ay_err err = { 0 }; /* on any error the ceilings are measured anew */
	json_t *root;
	char *text;
	size_t len;
	int format;

	if (ay_file_read(a, path, FILE_MAX, &text, &len, &err))
		return NULL;
	root = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);
	if (root && (!whole(json_object_get(root, "format"), FORMAT, FORMAT, &format) ||
		     !json_is_array(json_object_get(root, "machines")))) {
		json_decref(root);
		root = NULL;
	}
	return root;
}

static char *file_name(struct ay_arena *a)
{
	char *dir = ay_machine_cache(a);

	return dir ? ay_sprintf(a, "%s/ceilings.json", dir) : NULL;
}

static bool same_machine(const struct ay_ceilings *c, const char *cpu, int cpus)
{
	return c->cpus == cpus && !strncmp(c->cpu, cpu, sizeof c->cpu - 1);
}

bool ay_ceilings_find(struct ay_ceilings *c, const char *cpu, int cpus)
{
	struct ay_arena a = { 0 };
	char *path = file_name(&a);
	json_t *root = path ? read_file(&a, path) : NULL, *each;
	bool found = false;
	size_t i;

	json_array_foreach(json_object_get(root, "machines"), i, each)
	{
		if (parse_machine(each, c) && same_machine(c, cpu, cpus)) {
			found = true;
			break;
		}
	}
	if (!found)
		*c = (struct ay_ceilings){ 0 };
	json_decref(root);
	ay_arena_release(&a);
	return found;
}

int ay_ceilings_load(struct ay_ceilings *c, bool *found, struct ay_err *err)
{
	struct ay_arena a = { 0 };

	(void)err; /* no error here is a failure of assay */
	*found = ay_ceilings_find(c, ay_machine_cpu(&a), ay_cpu_count());
	ay_arena_release(&a);
	return 0;
}

/* --- kept ------------------------------------------------------------------------------------------------ */

static json_t *row_json(const struct ay_ceiling_row *r)
{
	json_t *curve = json_array();

	for (int i = 0; i < r->n; i++)
		json_array_append_new(curve, json_pack("[f,f]", r->point[i].bytes, r->point[i].per_s));
	return json_pack("{s:i,s:f,s:f,s:o}", "threads", r->threads, "f32", r->f32, "f64", r->f64, "curve", curve);
}

static json_t *figures_json(const struct ay_gpu_figures *g)
{
	json_t *products = json_object();

	for (int i = 0; i < AY_PRODUCT_COUNT; i++)
		if (g->product[i])
			json_object_set_new(products, ay_product_name((enum ay_product)i),
					    json_real(g->product[i]));
	return json_pack("{s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:i,s:i,s:o}", "wall_s", g->wall_s, "read", g->read,
			 "write", g->write, "copy", g->copy, "launch_ns", g->launch_ns, "kernel_ns", g->kernel_ns,
			 "latency_ns", g->latency_ns, "sm_mhz", g->sm_mhz, "memory_mhz", g->memory_mhz, "products",
			 products);
}

static json_t *machine_json(const struct ay_ceilings *c)
{
	json_t *rows = json_array(), *cache = json_array(), *j;

	for (int i = 0; i < AY_LEVEL_MEMORY; i++)
		json_array_append_new(cache, json_integer((json_int_t)c->cache[i]));
	for (int i = 0; i < c->nthread; i++)
		json_array_append_new(rows, row_json(&c->row[i]));
	j = json_pack("{s:s,s:i,s:s,s:b,s:o,s:o}", "cpu", c->cpu, "cpus", c->cpus, "when", c->when, "quick",
		      c->quick, "cache", cache, "rows", rows);
	if (c->gpu.read)
		json_object_set_new(j, "gpu", figures_json(&c->gpu));
	return j;
}

/* Returns the entries of other machines with the same home, which are kept. Entries that cannot be
 * parsed are dropped. */
static json_t *others(struct ay_arena *a, const char *path, const struct ay_ceilings *c)
{
	json_t *root = read_file(a, path), *kept = json_array(), *each;
	struct ay_ceilings old;
	size_t i;

	json_array_foreach(json_object_get(root, "machines"), i, each)
	{
		if (parse_machine(each, &old) && !same_machine(&old, c->cpu, c->cpus))
			json_array_append(kept, each);
	}
	while (json_array_size(kept) >= MACHINES_MAX)
		json_array_remove(kept, 0);
	json_decref(root);
	return kept;
}

int ay_ceilings_save(const struct ay_ceilings *c, struct ay_err *err)
{
	struct ay_arena a = { 0 };
	char *path = file_name(&a), *text = NULL;
	json_t *list, *root;
	int rc = -1;

	if (!path) {
		ay_fail(err, AY_ERR_IO, "no folder for what was measured: set HOME or XDG_CACHE_HOME");
	} else if (!ay_file_mkdirs(ay_machine_cache(&a), err)) {
		list = others(&a, path, c);
		json_array_append_new(list, machine_json(c));
		root = json_pack("{s:i,s:o}", "format", FORMAT, "machines", list);
		text = json_dumps(root, JSON_INDENT(1));
		json_decref(root);
		AY_ASSERT(text);
		rc = ay_file_write(path, text, strlen(text), err);
	}
	ay_xfree(text);
	ay_arena_release(&a);
	return rc;
}

int ay_ceilings_get(struct ay_ceilings *c, struct ay_err *err)
{
	struct ay_err unsaved = { 0 };
	bool found;

	if (ay_ceilings_load(c, &found, err))
		return -1;
	if (found)
		return 0;
	if (ay_ceilings_measure(c, true, err))
		return -1;
	ay_ceilings_save(c, &unsaved);
	return 0;
}
