/* SPDX-License-Identifier: MIT */
/* What /proc/cpuinfo says about the processors (topology.md 5). */
#ifndef KFDSCOPE_THUNK_TOPOLOGY_CPUINFO_H
#define KFDSCOPE_THUNK_TOPOLOGY_CPUINFO_H

#include "context.h"

#define CPUINFO_MAX_CPUS 8192

struct cpuinfo_cpu {
	bool is_present;
	bool has_apicid;
	uint32_t apicid;   /* the processor number where the file has none */
	const char *model; /* points into the text; not terminated; NULL: none */
	uint32_t model_length;
};

struct cpuinfo {
	char *text;               /* owned */
	struct cpuinfo_cpu *cpus; /* owned; index is the processor number */
	uint32_t cpu_count;       /* highest number + 1 */
	bool is_power9;
	const char *vendor; /* points into the text; not terminated; NULL: none */
	uint32_t vendor_length;
};

/*
 * Reads the file. A missing or odd one leaves what is not known empty: GPUs do not depend on it.
 * @return 0; -ENOMEM.
 */
int cpuinfo_init(struct kmt_context *ctx, struct cpuinfo *info);
void cpuinfo_fini(struct cpuinfo *info);
/* Id of a processor in sibling maps; the number itself for one that is not listed. */
uint32_t cpuinfo_apicid(const struct cpuinfo *info, uint32_t cpu);

#endif
