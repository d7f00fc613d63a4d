/* SPDX-License-Identifier: MIT */
/* U28: prints the render node of each GPU that it sees. */
#include "client.h"

int main(void)
{
	const HsaSystemProperties system = open_driver();

	for (HSAuint32 i = 0; i < system.NumNodes; i++) {
		HsaNodeProperties node;

		OK(hsaKmtGetNodeProperties(i, &node));
		if (node.NumFComputeCores)
			printf("%d\n", (int)node.DrmRenderMinor);
	}
	close_driver();
	return 0;
}
