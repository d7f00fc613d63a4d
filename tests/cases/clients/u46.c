/* SPDX-License-Identifier: MIT */
/* U46: reads all clocks of the first GPU ten times over a second. */
#include "client.h"

#include <unistd.h>

int main(void)
{
	HsaClockCounters counters;

	open_driver();
	for (int i = 0; i < 10; i++) {
		OK(hsaKmtGetClockCounters(1, &counters));
		printf("%llu %llu %llu %llu\n", (unsigned long long)counters.GPUClockCounter,
		       (unsigned long long)counters.CPUClockCounter,
		       (unsigned long long)counters.SystemClockCounter,
		       (unsigned long long)counters.SystemClockFrequencyHz);
		usleep(100000);
	}
	close_driver();
	return 0;
}
