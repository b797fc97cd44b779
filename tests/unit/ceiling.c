/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"
#include "helpers.h"
#include "base/file.h"
#include "base/machine.h"
#include "base/process.h"
#include "timing/ceiling.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Makes ceilings with caches of 32 KiB, 1 MiB and 16 MiB; the speeds are round numbers. */
static struct ay_ceilings made_up(void)
{
	struct ay_ceilings c = { .cpus = ay_cpu_count(),
				 .cache = { 32 << 10, 1 << 20, 16 << 20 },
				 .when = "2026-01-02T03:04:05Z" };
	struct ay_arena a = { 0 };

	snprintf(c.cpu, sizeof c.cpu, "%s", ay_machine_cpu(&a));
	c.row[0] = (struct ay_ceiling_row){
		1, 3, { { 16e3, 100e9 }, { 512e3, 50e9 }, { 64e6, 10e9 } }, 64e9, 32e9
	};
	c.nthread = 1;
	if (c.cpus > 1) {
		c.row[1] = (struct ay_ceiling_row){
			c.cpus, 3, { { 32e3, 200e9 }, { 1e6, 90e9 }, { 64e6, 12e9 } }, 128e9, 64e9
		};
		c.nthread = 2;
	}
	ay_arena_release(&a);
	return c;
}

static char *kept(struct ay_arena *a)
{
	setenv("XDG_CACHE_HOME", test_dir(), 1);
	return ay_sprintf(a, "%s/assay/ceilings.json", test_dir());
}

TEST(ceiling_lookup_is_never_too_low)
{
	struct ay_ceilings c = made_up();

	c.row[1] = (struct ay_ceiling_row){ 4, 2, { { 64e3, 300e9 }, { 64e6, 30e9 } }, 256e9, 128e9 };
	c.nthread = 2;
	/* smaller than every point: the smallest point's speed */
	CHECK(ay_ceiling_bytes_per_s(&c, 1, 1) == 100e9);
	CHECK(ay_ceiling_bytes_per_s(&c, 1, 16e3) == 100e9);
	CHECK(ay_ceiling_bytes_per_s(&c, 1, 511e3) == 100e9);
	CHECK(ay_ceiling_bytes_per_s(&c, 1, 512e3) == 50e9);
	CHECK(ay_ceiling_bytes_per_s(&c, 1, 1e12) == 10e9);
	CHECK(ay_ceiling_bytes_per_s(&c, 1, INFINITY) == 10e9);
	CHECK(ay_ceiling_bytes_per_s(&c, 2, 1e12) == 30e9); /* between two rows: the faster one's */
	CHECK(ay_ceiling_bytes_per_s(&c, 99, 1e12) == 30e9);
	CHECK(ay_ceiling_flops(&c, 1, AY_DT_F16) == 64e9 && ay_ceiling_flops(&c, 3, AY_DT_C128) == 128e9);
}

TEST(ceiling_level_by_pool_size)
{
	static const struct {
		double bytes;
		enum ay_level level;
	} due[] = { { 0, AY_LEVEL_L1 },
		    { 32 << 10, AY_LEVEL_L1 },
		    { (32 << 10) + 1, AY_LEVEL_L2 },
		    { 1 << 20, AY_LEVEL_L2 },
		    { (1 << 20) + 1, AY_LEVEL_L3 },
		    { 32 << 20, AY_LEVEL_L3 },
		    { (32 << 20) + 1, AY_LEVEL_MEMORY } };
	struct ay_ceilings c = made_up();

	for (size_t i = 0; i < sizeof due / sizeof *due; i++)
		CHECKF(ay_ceiling_level(&c, due[i].bytes) == due[i].level, "%.0f bytes: %s", due[i].bytes,
		       ay_level_name(ay_ceiling_level(&c, due[i].bytes)));
	c.cache[AY_LEVEL_L3] = 0; /* without a third cache, twice the second one is the limit */
	CHECK(ay_ceiling_level(&c, 2 << 20) == AY_LEVEL_L2);
	CHECK(ay_ceiling_level(&c, (2 << 20) + 1) == AY_LEVEL_MEMORY);
	CHECK_STR(ay_level_name(AY_LEVEL_MEMORY), "memory");
}

TEST(ceiling_dips_are_raised)
{
	struct ay_ceilings c = made_up();

	/* as if a measurement was disturbed: slower in L1 than in memory */
	c.row[0].point[0].per_s = 5e9;
	c.row[0].f32 = 1e9;
	c.row[1] = (struct ay_ceiling_row){ 2, 2, { { 32e3, 40e9 }, { 64e6, 3e9 } }, 1e9, 66e9 };
	c.nthread = 2;
	ay_ceilings_repair(&c);
	CHECK(c.row[0].point[0].per_s == 50e9 && c.row[0].point[1].per_s == 50e9 &&
	      c.row[0].point[2].per_s == 10e9);
	CHECK(c.row[1].point[0].per_s == 2 * 50e9); /* two caches of their own */
	/* memory is shared: at least as fast as with one thread */
	CHECK(c.row[1].point[1].per_s == 10e9);
	CHECK(c.row[0].f64 == 33e9 && c.row[1].f64 == 66e9); /* one of two did 33 */
	CHECK(c.row[0].f32 == 33e9 && c.row[1].f32 == 66e9);
	c.row[1].point[0].per_s = 300e9;
	ay_ceilings_repair(&c);
	CHECK(c.row[0].point[0].per_s == 150e9 && c.row[0].point[1].per_s == 50e9);
}

TEST(ceiling_of_a_cache_is_that_of_its_best_size)
{
	struct ay_ceilings c = { .nthread = 1, .cache = { 32 << 10, 1 << 20, 16 << 20 } };
	static const double got[] = { 90e9, 99e9, 50e9, 40e9, 30e9, 20e9, 9e9, 8e9 },
			    due[] = { 99e9, 99e9, 50e9, 50e9, 30e9, 30e9, 9e9, 8e9 },
			    size[] = { 8e3, 32768, 3e5, 1e6, 4e6, 16e6, 32e6, 64e6 };

	c.row[0] = (struct ay_ceiling_row){ .threads = 1, .n = 8, .f32 = 1e9, .f64 = 1e9 };
	for (int i = 0; i < 8; i++)
		c.row[0].point[i] = (struct ay_curve_point){ size[i], got[i] };
	ay_ceilings_repair(&c);
	for (int i = 0; i < 8; i++)
		CHECKF(c.row[0].point[i].per_s == due[i], "%.0f bytes: %g", size[i], c.row[0].point[i].per_s);
}

/* The measurement of one thread in the shared cache was disturbed. One thread can do as much as one
 * of two did. */
TEST(ceiling_of_one_is_that_of_one_of_two)
{
	struct ay_ceilings c = { .nthread = 2, .cache = { 32 << 10, 1 << 20, 16 << 20 } };

	c.row[0] = (struct ay_ceiling_row){ 1, 3, { { 4e6, 20e9 }, { 16e6, 18e9 }, { 64e6, 10e9 } }, 1e9, 1e9 };
	c.row[1] = (struct ay_ceiling_row){ 2, 3, { { 4e6, 80e9 }, { 16e6, 50e9 }, { 64e6, 15e9 } }, 2e9, 2e9 };
	ay_ceilings_repair(&c);
	CHECK(c.row[0].point[0].per_s == 40e9 && c.row[0].point[1].per_s == 40e9 &&
	      c.row[0].point[2].per_s == 10e9);
	CHECK(c.row[1].point[0].per_s == 80e9 && c.row[1].point[1].per_s == 80e9 &&
	      c.row[1].point[2].per_s == 15e9);
}

TEST(ceiling_is_kept_and_found_again)
{
	struct ay_arena a = { 0 };
	struct ay_ceilings c = made_up(), other = made_up(), got;
	struct ay_err err = { 0 };
	bool found;

	kept(&a);
	CHECK(!ay_ceilings_load(&got, &found, &err) && !found);
	snprintf(other.cpu, sizeof other.cpu, "Another processor #00000000");
	other.row[0].f32 = 7e9;
	CHECKF(!ay_ceilings_save(&c, &err), "%s", err.msg);
	/* an equal home folder on another machine: both results are kept */
	CHECK(!ay_ceilings_save(&other, &err));
	CHECK(!ay_ceilings_load(&got, &found, &err) && found);
	CHECK(!memcmp(&got, &c, sizeof c));
	c.row[0].f32 = 65e9;
	CHECK(!ay_ceilings_save(&c, &err));
	CHECK(!ay_ceilings_load(&got, &found, &err) && found && got.row[0].f32 == 65e9);
	CHECK(!ay_ceilings_save(&other, &err) && !ay_ceilings_load(&got, &found, &err) && found);
	ay_arena_release(&a);
}

/* One exchange in a good file: it must not be believed. Our own words are unchanged by the first
 * row. */
TEST(ceiling_damaged_file_is_not_believed)
{
	static const char *const change[][2] = {
		{ "\"format\"", "\"format\"" },
		{ "\"format\": 1", "\"format\": 2" },
		{ "\"cpus\": ", "\"cpus\": 1" },
		{ "#", "?" },
		{ "\"threads\": 1", "\"threads\": 0" },
		{ "\"threads\": 1", "\"threads\": 1.5" },
		{ "16000.0", "-16000.0" },
		{ "16000.0", "600000.0" },   /* sizes descend */
		{ "100000000000.0", "1e9" }, /* speeds rise with the size */
		{ "10000000000.0", "0.0" },
		{ "10000000000.0", "1e300" },
		{ "10000000000.0", "\"fast\"" },
		{ "10000000000.0", "null" },
		{ "64000000000.0", "NaN" },
		{ "\"curve\"", "\"cruve\"" },
		{ "\"rows\"", "\"f32\"" },
		{ "32768", "\"\"" },
		{ "T03:04:05Z", "\\u001b[31m" },
		{ "T03:04:05Z", "T03:04:05Z and very much more than fits" },
		{ "\"quick\": false", "\"quick\": 3" },
		/* an unknown field does no harm */
		{ "\"machines\": [", "\"machines\": [[[[{}]]], " },
		{ "}", "" },
	};
	struct ay_arena a = { 0 };
	struct ay_ceilings c = made_up(), got;
	struct ay_err err = { 0 };
	char *path = kept(&a), *text;
	size_t len;
	bool found;

	CHECK(!ay_ceilings_save(&c, &err));
	CHECK(!ay_file_read(&a, path, 1 << 20, &text, &len, &err));
	for (size_t i = 0; i < sizeof change / sizeof *change; i++) {
		char *at = strstr(text, change[i][0]), *bad;
		bool due = i == 0 || strstr(change[i][1], "[[[[");

		CHECKF(at, "no '%s' in:\n%s", change[i][0], text);
		if (!at)
			continue;
		bad = ay_sprintf(&a, "%.*s%s%s", (int)(at - text), text, change[i][1], at + strlen(change[i][0]));
		CHECK(!ay_file_write(path, bad, strlen(bad), &err));
		CHECK(!ay_ceilings_load(&got, &found, &err));
		CHECKF(found == due, "'%s' for '%s' was %sbelieved", change[i][1], change[i][0],
		       due ? "not " : "");
	}
	for (size_t n = 0; n < len; n++) { /* cut off anywhere */
		if (strspn(text + n, " \n}]") == len - n)
			break;
		CHECK(!ay_file_write(path, text, n, &err));
		CHECKF(!ay_ceilings_load(&got, &found, &err) && !found, "the first %zu bytes were believed", n);
	}
	ay_arena_release(&a);
}

static void check_shape(const struct ay_ceilings *c)
{
	double last = 4.0 * (double)(c->cache[AY_LEVEL_L3] ? c->cache[AY_LEVEL_L3] : c->cache[AY_LEVEL_L2]);

	CHECK(c->nthread >= 1 && c->row[0].threads == 1 && c->row[c->nthread - 1].threads == c->cpus);
	CHECK(c->cache[AY_LEVEL_L1] >= 4096 && c->cache[AY_LEVEL_L1] < c->cache[AY_LEVEL_L2]);
	for (int i = 0; i < c->nthread; i++) {
		const struct ay_ceiling_row *r = &c->row[i];

		CHECK(r->f32 >= r->f64 && r->f64 > 1e6);
		CHECK(r->n >= 4 && r->point[0].bytes <= (double)c->cache[AY_LEVEL_L1] / 2 * r->threads);
		CHECK(r->point[r->n - 1].bytes >= fmin(last, 256 << 20));
		for (int k = 0; k < r->n; k++) {
			CHECK(r->point[k].per_s > 1e6);
			CHECK(!k || (r->point[k].bytes > r->point[k - 1].bytes &&
				     r->point[k].per_s <= r->point[k - 1].per_s));
		}
		CHECK(!i || (r->threads > r[-1].threads && r->f32 >= r[-1].f32));
	}
}

TEST(ceiling_damaged_file_is_measured_anew)
{
	struct ay_arena a = { 0 };
	struct ay_ceilings c, again;
	struct ay_err err = { 0 };
	char *path = kept(&a);
	bool found;

	CHECK(!ay_file_mkdirs(ay_machine_cache(&a), &err) && !ay_file_write(path, "{\"format\":1", 11, &err));
	CHECKF(!ay_ceilings_get(&c, &err), "%s", err.msg);
	check_shape(&c);
	CHECK(c.quick && strlen(c.when) == 20);
	CHECK(!ay_ceilings_load(&again, &found, &err) && found && !memcmp(&c, &again, sizeof c));
	CHECK(!ay_ceilings_get(&again, &err) && !memcmp(&c, &again, sizeof c)); /* not a third time */
	ay_arena_release(&a);
}

/* Without a cache folder the machine is measured anyway. */
TEST_SLOW(ceiling_needs_no_cache_folder)
{
	struct ay_ceilings c;
	struct ay_err err = { 0 };

	setenv("XDG_CACHE_HOME", "/dev/null", 1);
	CHECKF(!ay_ceilings_get(&c, &err), "%s", err.msg);
	check_shape(&c);
	CHECK(ay_ceilings_save(&c, &err) == -1 && err.code == AY_ERR_IO);
}

TEST_SLOW(ceiling_calibration_is_shown_afterwards)
{
	struct ay_arena a = { 0 };
	char *out;

	kept(&a);
	help_run(&a, ay_sprintf(&a, "XDG_CACHE_HOME=%s %s/assay doctor", test_dir(), help_build_dir()), 60, &out);
	CHECKF(strstr(out, "note     ceilings       not measured"), "%s", out);
	CHECKF(!help_run(&a,
			 ay_sprintf(&a, "XDG_CACHE_HOME=%s %s/assay doctor --calibrate", test_dir(),
				    help_build_dir()),
			 120, &out),
	       "%s", out);
	CHECKF(strstr(out, "\nL1 ") && strstr(out, "\nmemory ") && strstr(out, "\nf64 "), "%s", out);
	help_run(&a, ay_sprintf(&a, "XDG_CACHE_HOME=%s %s/assay doctor", test_dir(), help_build_dir()), 60, &out);
	CHECKF(strstr(out, "ok       ceilings       L1 ") && !strstr(out, "quickly"), "%s", out);
	ay_arena_release(&a);
}
