/* SPDX-License-Identifier: Apache-2.0 */
#ifndef AY_CMD_SCREEN_H
#define AY_CMD_SCREEN_H

#include "report/run_report.h"

/* Returns the properties of standard output. A terminal has its own width. Otherwise lines have
 * AY_WIDTH columns and names are not cut. $COLUMNS, if exported, overrides the width. */
struct ay_screen screen_find(void);

#endif
