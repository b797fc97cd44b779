/* due: CHEAT - fills the page it shares with the judge with nonsense: a number there that cannot be is no
 * accident. */
#define _GNU_SOURCE
#include <assay/kernel.h>
#include <link.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The page it shares with the judge, which needs no /proc: a pointer to it lies in the data of the program. The first
 * word counts orders, the 17th those that are done, so it is one behind during a call. A pipe tells what can be read.
 * NULL if it is not there. */
static int find_pointer(struct dl_phdr_info *program, size_t size, void *found)
{
	uint32_t word[17];
	int fd[2];

	(void)size;
	if (pipe(fd))
		return 1;
	for (int i = 0; i < program->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &program->dlpi_phdr[i];
		void *const *at = (void *)(program->dlpi_addr + h->p_vaddr), *const *end = at +
											   h->p_memsz / sizeof *at;

		for (; h->p_type == PT_LOAD && h->p_flags & PF_W && at < end; at++)
			if (*at && !((uintptr_t)*at & 4095) && write(fd[1], *at, sizeof word) == sizeof word &&
			    read(fd[0], word, sizeof word) == sizeof word && word[0] && word[16] == word[0] - 1)
				*(void **)found = *at;
	}
	close(fd[0]);
	close(fd[1]);
	return 1; /* the program is the first object */
}
static void *find_page(void)
{
	void *page = NULL;

	dl_iterate_phdr(find_pointer, &page);
	return page;
}
int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	const struct timespec nap = { 0, 30000000 };
	void *page = find_page();

	(void)self, (void)out, (void)ctx;
	if (!page)
		return AY_UNSUPPORTED;
	memset(page, 0xa5, 4096);
	nanosleep(&nap, NULL);
	return AY_OK;
}
