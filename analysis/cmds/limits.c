/* SPDX-License-Identifier: MIT */
/* The limits that the user has set, and those instead of them (limits.h). */
#include "limits.h"

#include <glib.h>
#include <sys/resource.h>
#include <unistd.h>

/* With more than these beside the tracer's no program is short of them; with fewer most are. */
#define ROOMY_DESCRIPTORS 256
#define FEW_DESCRIPTORS   32
/* Who may map less cannot map the rings of many processors. */
#define MAPPING_BYTES ((rlim_t)1 << 30)

static const struct {
	int resource;
	rlim_t wanted;
} needed[] = {
	{ RLIMIT_NOFILE, 4096 },        { RLIMIT_AS, RLIM_INFINITY },
	{ RLIMIT_DATA, RLIM_INFINITY }, { RLIMIT_FSIZE, RLIM_INFINITY },
	{ RLIMIT_CPU, RLIM_INFINITY },  { RLIMIT_STACK, 8 << 20 },
};
enum { FILES, SPACE }; /* the first two of them */

static struct rlimit users[G_N_ELEMENTS(needed)];
static bool is_lifted[G_N_ELEMENTS(needed)];

void limits_lift(void)
{
	for (size_t i = 0; i < G_N_ELEMENTS(needed); i++) {
		struct rlimit limit;

		if (getrlimit(needed[i].resource, &users[i]) != 0 ||
		    users[i].rlim_cur >= needed[i].wanted)
			continue;
		limit = users[i];
		limit.rlim_cur = MIN(needed[i].wanted, limit.rlim_max);
		is_lifted[i] = setrlimit(needed[i].resource, &limit) == 0;
	}
}

/* Sockets, pipes, shared memory; and two of a ring, of which each processor has two. */
static rlim_t tracer_descriptors(void)
{
	const long cpus = sysconf(_SC_NPROCESSORS_CONF);

	return 32 + 4 * (rlim_t)MAX(cpus, 1);
}

static bool is_scarce(void)
{
	return users[FILES].rlim_cur < tracer_descriptors() + ROOMY_DESCRIPTORS;
}

bool limits_have_room(char **reason)
{
	const rlim_t tracer = tracer_descriptors(), own = users[FILES].rlim_cur;

	*reason = NULL;
	if (!is_scarce() || users[FILES].rlim_max >= tracer + MIN(own, FEW_DESCRIPTORS))
		return true;
	*reason = g_strdup_printf(
		"the limit of open files is %lu, and the tracer needs %lu beside the "
		"program's: raise it (ulimit -n %lu)",
		(unsigned long)own, (unsigned long)tracer, (unsigned long)(own + tracer));
	return false;
}

void limits_restore(void)
{
	for (size_t i = 0; i < G_N_ELEMENTS(needed); i++) {
		struct rlimit limit = users[i];

		if (i == FILES && is_scarce())
			limit.rlim_cur = MIN(limit.rlim_cur + tracer_descriptors(), limit.rlim_max);
		else if (!is_lifted[i])
			continue;
		(void)setrlimit(needed[i].resource,
				&limit); /* it never fails up to the hard limit */
	}
}

bool limits_allow_rings(void)
{
	return users[SPACE].rlim_cur >= MAPPING_BYTES;
}
