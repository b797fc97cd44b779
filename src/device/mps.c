/* SPDX-License-Identifier: Apache-2.0
 *
 * Detects CUDA's multi-process service. First in the way of libcuda: a socket named "control" in a
 * folder that the environment names. A folder that a dead daemon left has the name too, but nothing
 * answers there. If the service uses a folder that the judge does not know, its processes are still
 * seen in /proc.
 */
#include "device/gpu.h"

#include "base/str.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static bool somebody_listens(const struct sockaddr_un *at, int type)
{
	const int fd = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	const bool yes = fd >= 0 && !connect(fd, (const struct sockaddr *)at, sizeof *at);

	if (fd >= 0)
		close(fd);
	return yes;
}

/* Returns true if a process reads this pipe: opening it for writing fails otherwise. */
static bool somebody_reads(const char *path)
{
	struct stat st;
	int fd = -1;

	if (!stat(path, &st) && S_ISFIFO(st.st_mode))
		fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static bool is_called(void)
{
	const char *dir = getenv("CUDA_MPS_PIPE_DIRECTORY");
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	const int n = snprintf(at.sun_path, sizeof at.sun_path, "%s/control",
			       dir && dir[0] ? dir : "/tmp/nvidia-mps");

	if (n >= (int)sizeof at.sun_path)
		return false; /* the name is too long for a socket */
	return somebody_listens(&at, SOCK_SEQPACKET) || somebody_listens(&at, SOCK_STREAM) ||
	       somebody_reads(at.sun_path);
}

/* Looks for a process of the service. The system cuts names of processes to 15 bytes. */
static bool is_seen(const char *folder)
{
	DIR *proc = opendir(folder);
	bool seen = false;
	struct dirent *e;

	while (proc && !seen && (e = readdir(proc))) {
		char path[600], name[32] = "";
		FILE *f;

		if (e->d_name[0] < '0' || e->d_name[0] > '9')
			continue;
		snprintf(path, sizeof path, "%s/%s/comm", folder, e->d_name);
		f = fopen(path, "re");
		if (!f)
			continue;
		seen = fgets(name, sizeof name, f) && ay_starts(name, "nvidia-cuda-mps");
		fclose(f);
	}
	if (proc)
		closedir(proc);
	return seen;
}

bool ay_gpu_mps_runs_in(const char *proc)
{
	return is_called() || is_seen(proc);
}

bool ay_gpu_mps_runs(void)
{
	return ay_gpu_mps_runs_in("/proc");
}
