/* SPDX-License-Identifier: Apache-2.0
 *
 * The graphs of fake.c: what test kernels launch by fake_run goes into one while their stream is captured, and is
 * run when that is launched. What a capture does not allow spoils it. NO_GRAPHS: a driver that is too old for them.
 */
/* A node is host code that is run again, or memory that was freed in the stream's order and goes with the graph. */
struct graph {
	int n, users;
	struct {
		void *(*run)(void *);
		void *mem;
	} node[MAX];
};

static struct {
	struct graph *graph; /* NULL: nothing is captured */
	void *stream;
	bool spoilt;
} capture;

/* How many nodes graphs have run, for tests that count them. */
uint64_t fake_replayed;

static int spoil(void)
{
	capture.spoilt = true;
	return AY_CU_NOT_IN_CAPTURE;
}

static int add_node(void *(*run)(void *), void *mem)
{
	struct graph *g = capture.graph;

	if (capture.spoilt || g->n == MAX)
		return AY_CU_CAPTURE_INVALIDATED;
	g->node[g->n].run = run;
	g->node[g->n++].mem = mem;
	return 0;
}

static bool is_captured(const void *stream)
{
	return capture.graph && stream == capture.stream;
}

/* A launch by a test kernel: of host code, with its argument. */
int fake_run(void *stream, void *(*run)(void *), const void *arg, size_t n);
int fake_run(void *stream, void *(*run)(void *), const void *arg, size_t n)
{
	void *mem = memcpy(malloc(n + 1), arg, n);

	if (is_captured(stream))
		return add_node(run, mem);
	run(mem);
	free(mem);
	return 0;
}

#ifndef NO_GRAPHS

int cuStreamBeginCapture_v2(void *stream, int mode)
{
	if (!stream || capture.graph || mode != AY_CU_CAPTURE_THREAD)
		return INVALID;
	capture.graph = calloc(1, sizeof *capture.graph);
	capture.graph->users = 1;
	capture.stream = stream;
	capture.spoilt = false;
	return 0;
}

int cuStreamIsCapturing(void *stream, int *status);
int cuStreamIsCapturing(void *stream, int *status)
{
	*status = is_captured(stream) ? 1 + capture.spoilt : 0;
	return 0;
}

int cuGraphDestroy(void *graph)
{
	struct graph *g = graph;

	if (--g->users)
		return 0;
	for (int i = 0; i < g->n; i++)
		free(g->node[i].mem);
	free(g);
	return 0;
}

int cuStreamEndCapture(void *stream, void **graph)
{
	if (!is_captured(stream))
		return INVALID;
	*graph = capture.spoilt ? NULL : capture.graph;
	if (capture.spoilt)
		cuGraphDestroy(capture.graph);
	capture.graph = NULL;
	return capture.spoilt ? AY_CU_CAPTURE_INVALIDATED : 0;
}

int cuGraphGetNodes(void *graph, void **node, size_t *n)
{
	(void)node;
	*n = (size_t)((struct graph *)graph)->n;
	return 0;
}

int cuGraphInstantiateWithFlags(void **ready, void *graph, uint64_t flags)
{
	(void)flags;
	((struct graph *)graph)->users++;
	*ready = graph;
	return 0;
}

int cuGraphUpload(void *ready, void *stream)
{
	(void)ready, (void)stream;
	return failed;
}

int cuGraphLaunch(void *ready, void *stream)
{
	struct graph *g = ready;

	if (is_captured(stream))
		return spoil();
	for (int i = 0; i < g->n; i++) {
		if (g->node[i].run)
			g->node[i].run(g->node[i].mem);
		fake_replayed++;
	}
	return failed;
}

int cuGraphExecDestroy(void *ready)
{
	return cuGraphDestroy(ready);
}

int cuDeviceGraphMemTrim(int dev)
{
	(void)dev;
	return 0;
}
#endif
