/* SPDX-License-Identifier: Apache-2.0
 *
 * Launches calls as a CUDA graph, to learn what they cost on the device without their launches. The
 * judge prints that time but never trusts it.
 *
 * Many kernels cannot be captured: those that wait for the device, allocate, copy to the host, or
 * launch on the default stream. That is no fault of theirs: the capture is dropped, and no time is
 * reported. No time is reported either if a call returned an error, or if the graph has fewer nodes
 * than there were calls. Then some work was on a stream that was not captured and ran at once, so
 * the graph would be too fast.
 */
#include "runtime.h"

void replay(const struct language *l, const struct ay_wire_run *r)
{
	struct ay_wire_status call = { .what = AY_WIRE_RAN, .slot = -1 }, s = call;
	uint64_t ns = 0;
	int e;

	if (gpu_capture()) {
		l->call(r->from, r->n, false, &call);
		ns = gpu_replay(call.what == AY_WIRE_RAN && !call.rc ? r->n : UINT32_MAX);
	}
	e = gpu_sync();
	if (e)
		s = (struct ay_wire_status){ .what = AY_WIRE_FAULTED, .rc = e, .slot = -1 };
	page->claimed_graph_ns = e ? 0 : ns;
	answer(now_seq, s);
}
