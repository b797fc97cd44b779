/* SPDX-License-Identifier: Apache-2.0
 *
 * A libnvrtc without a compiler, for tests: the code that it makes is the source with the options before it, and a source
 * with "#error" in it is refused. Every compilation adds a line to the file $FAKE_NVRTC_LOG.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct program {
	char *source, *code;
};

int nvrtcVersion(int *major, int *minor);
int nvrtcCreateProgram(struct program **p, const char *source, const char *name, int n, const char *const *header,
		       const char *const *as);
int nvrtcCompileProgram(struct program *p, int n, const char *const *option);
int nvrtcGetProgramLogSize(struct program *p, size_t *n);
int nvrtcGetProgramLog(struct program *p, char *s);
int nvrtcGetCUBINSize(struct program *p, size_t *n);
int nvrtcGetCUBIN(struct program *p, char *s);
int nvrtcDestroyProgram(struct program **p);

static const char log_text[] = "assay.cu(1): error: #error \x1b said so";

int nvrtcVersion(int *major, int *minor)
{
	*major = 13;
	*minor = getenv("FAKE_NVRTC_MINOR") ? atoi(getenv("FAKE_NVRTC_MINOR")) : 0;
	return 0;
}

int nvrtcCreateProgram(struct program **p, const char *source, const char *name, int n, const char *const *header,
		       const char *const *as)
{
	(void)name, (void)n, (void)header, (void)as;
	*p = calloc(1, sizeof **p);
	(*p)->source = strdup(source);
	return 0;
}

int nvrtcCompileProgram(struct program *p, int n, const char *const *option)
{
	FILE *log = fopen(getenv("FAKE_NVRTC_LOG"), "a");
	size_t bytes = strlen(p->source) + 100;

	for (int i = 0; i < n; i++)
		bytes += strlen(option[i]) + 1;
	p->code = calloc(1, bytes);
	strcat(p->code, "cubin");
	for (int i = 0; i < n; i++)
		strcat(strcat(p->code, " "), option[i]);
	fprintf(log, "%s\n", p->code);
	fclose(log);
	strcat(strcat(p->code, "\n"), p->source);
	return strstr(p->source, "#error") ? 6 : 0;
}

int nvrtcGetProgramLogSize(struct program *p, size_t *n)
{
	(void)p;
	*n = sizeof log_text;
	return 0;
}

int nvrtcGetProgramLog(struct program *p, char *s)
{
	(void)p;
	memcpy(s, log_text, sizeof log_text);
	return 0;
}

int nvrtcGetCUBINSize(struct program *p, size_t *n)
{
	*n = strlen(p->code) + 1;
	return 0;
}

int nvrtcGetCUBIN(struct program *p, char *s)
{
	strcpy(s, p->code);
	return 0;
}

int nvrtcDestroyProgram(struct program **p)
{
	free((*p)->source);
	free((*p)->code);
	free(*p);
	*p = NULL;
	return 0;
}
