/* due: PASS - every thread counts and then places four ranges of entries side by side, each with counters of its own:
 * an entry does not wait for the one before it. Only padding is filled in. */
#include <assay/kernel_threads.h>
#include <string.h>

enum { RANGES = 4, GRAIN = 64 << 10 };

/* --- entries --------------------------------------------------------------------------------------------- */

/* Part t has the entries of `size` each in RANGES ranges; the last range of all may be shorter. */
struct job {
	const ay_tensor *ids, *map;
	int64_t n, experts, size;
	int32_t *of;            /* the expert of each entry; `experts`: it lives elsewhere */
	int32_t *next, *sorted; /* next: for each range a counter for each expert, and one for elsewhere */
};

static void find_experts(const struct job *j, int64_t from, int64_t to)
{
	const int32_t *map = j->map ? j->map->data : NULL, elsewhere = (int32_t)j->experts;

	if (ay_dt(j->ids) == AY_I32)
		memcpy(j->of + from, (const int32_t *)j->ids->data + from, (size_t)(to - from) * sizeof *j->of);
	else if (ay_dt(j->ids) == AY_I64)
		for (int64_t i = from; i < to; i++)
			j->of[i] = (int32_t)((const int64_t *)j->ids->data)[i];
	else
		for (int64_t i = from; i < to; i++)
			j->of[i] = (int32_t)ay_read(j->ids, i);
	for (int64_t i = from; map && i < to; i++)
		j->of[i] = map[j->of[i]] < 0 ? elsewhere : map[j->of[i]];
}

/* How many entries all ranges of part t have. */
static int64_t in_step(const struct job *j, int64_t t)
{
	const int64_t last = j->n - (t * RANGES + RANGES - 1) * j->size;

	return last < 0 ? 0 : last < j->size ? last : j->size;
}

static void count_part(const void *job, int64_t t, int64_t end)
{
	const struct job *j = job;
	const int64_t room = j->experts + 1, n = j->n, size = j->size, all = RANGES * size;

	for (; t < end; t++) {
		const int64_t from = t * all < n ? t * all : n, to = from + all < n ? from + all : n;
		const int32_t *restrict of = j->of + from;
		int32_t *restrict count = j->next + t * RANGES * room;
		const int64_t even = in_step(j, t);

		find_experts(j, from, to);
		memset(count, 0, (size_t)(RANGES * room) * sizeof *count);
		for (int64_t i = 0; i < even; i++)
			for (int64_t r = 0; r < RANGES; r++)
				count[r * room + of[r * size + i]]++;
		for (int64_t r = 0; r < RANGES; r++)
			for (int64_t i = r * size + even; i < (r + 1) * size && i < to - from; i++)
				count[r * room + of[i]]++;
	}
}

static inline void place(const struct job *j, int32_t *next, int64_t i)
{
	if (j->of[i] < j->experts)
		j->sorted[next[j->of[i]]++] = (int32_t)i;
}

static void place_part(const void *job, int64_t t, int64_t end)
{
	const struct job *const given = job, copy = *given, *j = &copy; /* sorted cannot point into the copy */
	const int64_t room = j->experts + 1, size = j->size;

	for (; t < end; t++) {
		const int64_t from = t * RANGES * size, even = in_step(j, t);
		int32_t *next = j->next + t * RANGES * room;

		for (int64_t i = 0; i < even; i++)
			for (int64_t r = 0; r < RANGES; r++)
				place(j, next + r * room, from + r * size + i);
		for (int64_t r = 0; r < RANGES; r++)
			for (int64_t i = from + r * size + even; i < from + (r + 1) * size && i < j->n; i++)
				place(j, next + r * room, i);
	}
}

/* --- groups ---------------------------------------------------------------------------------------------- */

static void fill(int32_t *to, int64_t n, int32_t value)
{
	for (int64_t i = 0; i < n; i++)
		to[i] = value;
}

/* Counts become places; returns the length of all groups, with their padding filled in. */
static int64_t lay_out(const struct job *j, int64_t ranges, int64_t block_size, int32_t *experts)
{
	int64_t total = 0;

	for (int64_t e = 0; e < j->experts; e++) {
		const int64_t first = total;

		for (int64_t r = 0; r < ranges; r++) {
			int32_t *next = j->next + r * (j->experts + 1) + e;
			const int32_t count = *next;

			*next = (int32_t)total;
			total += count;
		}
		for (; total % block_size; total++)
			j->sorted[total] = (int32_t)j->n;
		fill(experts + first / block_size, (total - first) / block_size, (int32_t)e);
	}
	return total;
}

int vllm13_moe_align_block_size(const ay_tensor *topk_ids, int64_t num_experts, int64_t block_size,
				ay_tensor *sorted_token_ids, ay_tensor *experts_ids,
				ay_tensor *num_tokens_post_pad, const ay_tensor *expert_map, const ay_ctx *ctx)
{
	const int64_t n = ay_numel(topk_ids), room = ay_numel(sorted_token_ids), blocks = ay_numel(experts_ids);
	struct job j = { .ids = topk_ids, .map = expert_map, .n = n, .experts = num_experts };
	const int64_t parts = ay_thread_count(n, GRAIN, ctx);
	int64_t total;

	j.size = (n + RANGES * parts - 1) / (RANGES * parts);
	j.sorted = sorted_token_ids->data;
	j.of = ctx->scratch(ctx, (size_t)(n + 1) * sizeof *j.of);
	j.next = ctx->scratch(ctx, (size_t)(parts * RANGES * (num_experts + 1)) * sizeof *j.next);
	if (!j.of || !j.next)
		return AY_UNSUPPORTED;
	ay_parallel_for(count_part, &j, parts, 1, ctx);
	total = lay_out(&j, parts * RANGES, block_size, experts_ids->data);
	ay_parallel_for(place_part, &j, parts, 1, ctx);
	fill(j.sorted + total, room - total, (int32_t)n);
	fill((int32_t *)experts_ids->data + total / block_size, blocks - total / block_size, 0);
	*(int32_t *)num_tokens_post_pad->data = (int32_t)total;
	return AY_OK;
}
