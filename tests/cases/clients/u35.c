/* SPDX-License-Identifier: MIT */
/* U35: hands three buffers to the streaming monitor of the simulated GPU, which counts nothing. */
#include "client.h"

#define BUFFER_BYTES 32768u

static char buffer[BUFFER_BYTES];

static void set_buffer(void *address, HSAuint32 size_bytes)
{
	HSAuint32 timeout = 10, copied = 0;
	bool loss = false;

	OK(hsaKmtSPMSetDestBuffer(1, size_bytes, &timeout, &copied, address, &loss));
}

int main(void)
{
	open_driver();
	OK(hsaKmtSPMAcquire(1));
	for (int i = 0; i < 3; i++)
		set_buffer(buffer, BUFFER_BYTES);
	set_buffer(NULL, 0);
	OK(hsaKmtSPMRelease(1));
	close_driver();
	return 0;
}
