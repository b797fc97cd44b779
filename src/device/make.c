#include "device/make.h"
int ay_dev_make(struct ay_dev *d, const struct ay_make *m, int n, struct ay_err *err)
{
	(void)d, (void)m, (void)n;
	return ay_fail(err, AY_ERR_SYS, "not yet");
}
