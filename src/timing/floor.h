#ifndef AY_TIMING_FLOOR_H
#define AY_TIMING_FLOOR_H
#include "op/op.h"
#include "timing/ceiling.h"
struct ay_floor { double ns, bytes, flops; };
static inline void ay_floor(const struct ay_call *c, const struct ay_ceilings *m, int threads, double pool, double null_ns, struct ay_floor *f)
{ struct ay_cost k = {0,-1}; if (c->op->cost) c->op->cost(c,&k); double b=0; for(int i=0;i<c->noperand;i++) b+=(double)ay_numel_of(&c->operand[i]->view)*ay_dt_info(c->operand[i]->view.dt)->bytes; if(k.bytes>=0) b=k.bytes; *f=(struct ay_floor){ b/ay_ceiling_bytes_per_s(m,threads,pool)*1e9, b, k.flops}; if (f->ns<null_ns) f->ns=null_ns; }
#endif
