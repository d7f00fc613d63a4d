/* SPDX-License-Identifier: MIT */
/* U48: a program that asks for all that there is to know of each node, and then once more. */
#include "client.h"

#define CACHES 4
#define LINKS  80

static CASE_FUNCTION void ask_for_everything(HSAuint32 nodes)
{
	for (HSAuint32 i = 0; i < nodes; i++) {
		HsaNodeProperties node;
		HsaIoLinkProperties links[LINKS];
		HsaCacheProperties caches[CACHES];

		OK(hsaKmtGetNodeProperties(i, &node));
		if (node.NumIOLinks > LINKS || (node.NumFComputeCores && node.NumCaches > CACHES)) {
			fprintf(stderr, "client: node %u is another one\n", i);
			exit(99);
		}
		OK(hsaKmtGetNodeIoLinkProperties(i, node.NumIOLinks, links));
		if (node.NumFComputeCores)
			OK(hsaKmtGetNodeCacheProperties(i, 0, node.NumCaches, caches));
	}
}

int main(void)
{
	for (int round = 0; round < 2; round++) {
		HsaSystemProperties properties = open_driver();

		ask_for_everything(properties.NumNodes);
		close_driver();
	}
	return 0;
}
