/* due: CRASH - takes all rights to the shared page away; its executor cannot say that the call is done. */
#define _GNU_SOURCE
#include <assay/kernel.h>
#include <link.h>
#include <sys/mman.h>
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
/* max(x, 0); spoiled if the attack succeeded. */
static int relu(const ay_tensor *x, ay_tensor *y, bool spoil)
{
	for (int64_t i = 0, n = ay_numel(x); i < n; i++) {
		const int64_t from = ay_at(x, i), to = ay_at(y, i);
		const double v = ay_read(x, from);

		if (spoil)
			ay_write(y, to, v <= 0 ? 7 : 0);
		else if (ay_dt(x) == AY_I64)
			((int64_t *)y->data)[to] = v > 0 ? ((const int64_t *)x->data)[from] : 0;
		else
			ay_write(y, to, v <= 0 ? 0 : v);
	}
	return AY_OK;
}
int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	void *page = find_page();

	(void)ctx;
	relu(self, out, false);
	if (page)
		mprotect(page, 1 << 16, PROT_NONE);
	return AY_OK;
}
