/* SPDX-License-Identifier: Apache-2.0
 *
 * Reports a crash of the kernel: the signal handler writes where it happened into the page, raises
 * `done` and ends the process. It runs on a stack of its own, because the kernel may have used up
 * the other, and accesses only the page and the table of slots.
 */
#include "runtime.h"

#include <linux/futex.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

void answer(uint32_t seq, struct ay_wire_status s)
{
	memcpy(&page->status, &s, sizeof s);
	__atomic_store_n(&page->done, seq, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&page->judge_sleeps, __ATOMIC_SEQ_CST))
		syscall(SYS_futex, &page->done, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* Returns the slot that an address belongs to, half of the guard on either side included; -1:
 * none. */
static int slot_of(uintptr_t addr, int64_t *at)
{
	for (uint32_t i = 0; i < pool.nslot; i++) {
		uintptr_t base = (uintptr_t)pool.base[i];

		if (base && addr - (base - AY_WIRE_GUARD / 2) < pool.slot[i].bytes + AY_WIRE_GUARD) {
			*at = (int64_t)(addr - base);
			return (int)i;
		}
	}
	return -1;
}

static enum ay_wire_fault fault_in(const struct ay_wire_slot *slot, int64_t at)
{
	if (slot->device)
		return AY_WIRE_ON_DEVICE;
	return at >= 0 && at < (int64_t)slot->bytes ? AY_WIRE_INPUT : AY_WIRE_GUARDED;
}

static void on_fatal(int sig, siginfo_t *info, void *context)
{
	struct ay_wire_status s = { .what = AY_WIRE_SIGNAL, .set = now_set, .signal = sig, .slot = -1 };

	(void)context;
	if ((sig == SIGSEGV || sig == SIGBUS) && info->si_code > 0) {
		s.fault = AY_WIRE_ELSEWHERE;
		s.slot = slot_of((uintptr_t)info->si_addr, &s.fault_at);
		if (s.slot >= 0)
			s.fault = fault_in(&pool.slot[s.slot], s.fault_at);
	}
	answer(now_seq, s);
	_exit(128 + sig);
}

void catch_signals(void)
{
	static uint8_t stack[64 << 10];
	const int fatal[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
	struct sigaction act = { .sa_sigaction = on_fatal, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND };
	stack_t alt = { .ss_sp = stack, .ss_size = sizeof stack };

	sigaltstack(&alt, NULL);
	sigemptyset(&act.sa_mask);
	for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
		sigaction(fatal[i], &act, NULL);
}
