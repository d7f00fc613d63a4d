/* SPDX-License-Identifier: MIT */
/* Lines of the driver's event stream as events of the recording. */
#ifndef KFDSCOPE_TRACE_SMI_TELL_H
#define KFDSCOPE_TRACE_SMI_TELL_H

#include <stddef.h>
#include <stdint.h>

/* Tells one line of a GPU's stream; one that cannot be read is told as it is. */
void smi_tell(uint32_t gpu_id, const char *text, size_t length);

#endif
