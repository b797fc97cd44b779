/* SPDX-License-Identifier: Apache-2.0 */
#ifndef AY_CMD_PAGES_H
#define AY_CMD_PAGES_H

#include "base/err.h"

/* Prints the names of all pages of documentation. */
void pages_list(void);
/* Prints one page, "timing" being docs/timing.md. Fails with all names if there is no such page. */
int pages_print(const char *page, struct ay_err *err);

#endif
