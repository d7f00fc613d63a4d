/* SPDX-License-Identifier: MIT */
/*
 * What one process of a machine has and the others must respect: names that are taken. A name is an
 * abstract socket that is bound and nothing more, so that it ends with its process, however that
 * ends, and can be listed. The simulated machines of a user are told apart by their topology.
 */
#ifndef KFDSCOPE_THUNK_MODEL_CLAIM_H
#define KFDSCOPE_THUNK_MODEL_CLAIM_H

#include <stdbool.h>
#include <stdint.h>

#define KFD_MODEL_CLAIM_NAME 64 /* longest name, with its zero */

struct kfd_model;

/*
 * Takes a name.
 * @return what kfd_model_claim_drop() takes (never 0), -EEXIST: somebody has it, maybe the caller, or
 *         -ENOMEM.
 */
int kfd_model_claim_take(const struct kfd_model *model, const char *name)
	__attribute__((warn_unused_result));
/* As above, but waits a second for somebody to drop it. @return also -EBUSY in place of -EEXIST. */
int kfd_model_claim_wait(const struct kfd_model *model, const char *name)
	__attribute__((warn_unused_result));
/* Gives it back; accepts 0. Also in a forked child, whose parent then keeps it. */
void kfd_model_claim_drop(int claim);
/*
 * First name that begins so, whoever has it.
 * @param name  out: what follows the beginning.
 */
bool kfd_model_claim_find(const struct kfd_model *model, const char *beginning,
			  char name[KFD_MODEL_CLAIM_NAME]);

/*
 * A descriptor of the simulation's own, moved out of the way: the driver has none there, so the
 * numbers that a program gets must not depend on it. @return the new number, or fd itself.
 */
int kfd_model_out_of_the_way(int fd);

#endif
