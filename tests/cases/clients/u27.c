/* SPDX-License-Identifier: MIT */
/* U27, U29: prints of each node what there is: its processors, caches, compute units and GPU. */
#include "client.h"

int main(void)
{
	const HsaSystemProperties system = open_driver();

	for (HSAuint32 i = 0; i < system.NumNodes; i++) {
		HsaNodeProperties node;
		HsaCacheProperties *caches;

		OK(hsaKmtGetNodeProperties(i, &node));
		caches = calloc(node.NumCaches ? node.NumCaches : 1, sizeof(*caches));
		if (!caches)
			return 1;
		OK(hsaKmtGetNodeCacheProperties(i, node.CComputeIdLo, node.NumCaches, caches));
		printf("%u %u %u %u %u\n", i, node.NumCPUCores, node.NumCaches,
		       node.NumFComputeCores, node.KFDGpuID);
		for (HSAuint32 cache = 0; !node.NumFComputeCores && cache < node.NumCaches; cache++)
			printf("cache %u %u\n", caches[cache].CacheLevel, caches[cache].CacheSize);
		free(caches);
	}
	close_driver();
	return 0;
}
