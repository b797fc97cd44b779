/* SPDX-License-Identifier: Apache-2.0
 *
 * run_files - files beside the records: kernels/, progress.json, and the machine's description in
 * run.json.
 */
#include "store/store_internal.h"
#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

enum { PROGRESS_EVERY_NS = 200000000, EXT_MAX = 8 };

static void set_str(json_t *j, const char *key, const char *s)
{
	json_object_set_new(j, key, ay_json_text(s, strlen(s), 200));
}

/* Reads "model name : Intel(R) ..." of the first processor. */
static void add_cpu(json_t *j)
{
	FILE *f = fopen("/proc/cpuinfo", "re");
	char line[512];

	while (f && fgets(line, sizeof line, f)) {
		char *value = strchr(line, ':');

		if (!value || !(ay_starts(line, "model name") || ay_starts(line, "Processor")))
			continue;
		value += 1 + strspn(value + 1, " \t");
		value[strcspn(value, "\n")] = 0;
		set_str(j, "cpu", value);
		break;
	}
	if (f)
		fclose(f);
}

json_t *ay_machine_json(void)
{
	json_t *j = json_object();
	struct utsname u;

	if (!uname(&u)) {
		set_str(j, "name", u.nodename);
		set_str(j, "arch", u.machine);
		set_str(j, "kernel", u.release);
	}
	add_cpu(j);
	json_object_set_new(j, "cores", json_integer(ay_cpu_count()));
	return j;
}

bool ay_kernel_end(const char *ext)
{
	size_t n = strlen(ext);

	return n && n <= EXT_MAX && strspn(ext, "abcdefghijklmnopqrstuvwxyz0123456789") == n;
}

int ay_run_keep_kernel(struct ay_run *r, const char *sha256, const char *ext, const void *data, size_t len,
		       struct ay_err *err)
{
	char name[sizeof AY_KERNELS_NAME + AY_SHA256_HEX + EXT_MAX + 2], hex[AY_SHA256_HEX];
	struct stat st;
	int rc;

	ay_sha256(data, len, hex);
	if (!ay_kernel_end(ext) || strcmp(hex, sha256))
		return ay_fail(err, AY_ERR_IO,
			       "a kernel cannot be kept: '%.20s' is no ending, or its SHA-256 is not %s", ext,
			       sha256);
	snprintf(name, sizeof name, "%s/%s.%s", AY_KERNELS_NAME, sha256, ext);
	pthread_mutex_lock(&r->mutex);
	if (!fstatat(r->folder.fd, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode) &&
	    (size_t)st.st_size == len)
		rc = 0;
	else if (mkdirat(r->folder.fd, AY_KERNELS_NAME, 0755) && errno != EEXIST)
		rc = ay_folder_fail(&r->folder, "make", AY_KERNELS_NAME, err);
	else
		rc = ay_folder_write(&r->folder, name, data, len, false, err);
	pthread_mutex_unlock(&r->mutex);
	return rc;
}

bool ay_run_progress_due(struct ay_run *r)
{
	bool due;

	pthread_mutex_lock(&r->mutex);
	due = !r->progress_ns || ay_now_ns() - r->progress_ns >= PROGRESS_EVERY_NS;
	pthread_mutex_unlock(&r->mutex);
	return due;
}

int ay_run_progress(struct ay_run *r, const json_t *fields, struct ay_err *err)
{
	json_t *j = fields ? json_copy((json_t *)fields) : json_object();
	struct ay_str b = { 0 };
	char now[32];
	int rc;

	ay_utc(now, sizeof now, "%Y-%m-%dT%H:%M:%SZ");
	json_object_set_new(j, "time", json_string(now));
	json_object_set_new(j, ay_field_name(AY_FIELD_RUN), json_string(r->id));
	pthread_mutex_lock(&r->mutex);
	json_object_set_new(j, "records", json_integer(r->records));
	json_dump_callback(j, ay_dump_to, &b, JSON_INDENT(2));
	ay_str_addc(&b, '\n');
	rc = ay_folder_write(&r->folder, AY_PROGRESS_NAME, b.s, b.len, false, err);
	r->progress_ns = ay_now_ns();
	pthread_mutex_unlock(&r->mutex);
	ay_str_release(&b);
	json_decref(j);
	return rc;
}
