/* SPDX-License-Identifier: Apache-2.0 */
#ifndef AY_CMD_SCREEN_H
#define AY_CMD_SCREEN_H

#include "report/run_report.h"

/* Standard output: a terminal of its width; what is no terminal has lines of AY_WIDTH columns, and names that are not cut.
 * $COLUMNS, where it is exported, says another width. */
struct ay_screen screen_find(void);

#endif
