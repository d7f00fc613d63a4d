/* SPDX-License-Identifier: MIT */
/* Words for numbers (text.h). */
#include "output/text.h"

#include <errno.h>
#include <string.h>

int text_write(GString *text, FILE *stream)
{
	const gsize length = text->len;

	errno = 0;
	if (length && fwrite(text->str, length, 1, stream) != 1)
		return errno ? -errno : -EIO;
	g_string_truncate(text, 0);
	return 0;
}

void text_bytes(GString *text, uint64_t bytes)
{
	static const char *const units[] = { "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	double value = (double)bytes / 1024.0;
	size_t unit = 0;

	g_string_append_printf(text, "%" G_GUINT64_FORMAT " %s", bytes,
			       bytes == 1 ? "byte" : "bytes");
	if (bytes < 1024)
		return;
	while (value >= 1024.0 && unit + 1 < G_N_ELEMENTS(units)) {
		value /= 1024.0;
		unit++;
	}
	g_string_append_printf(text, " (%.1f %s)", value, units[unit]);
}

void text_count(GString *text, uint64_t count, const char *singular, const char *plural)
{
	g_string_append_printf(text, "%" G_GUINT64_FORMAT " %s", count,
			       count == 1 ? singular : plural);
}

void text_duration(GString *text, int64_t duration_ns)
{
	double value = (double)duration_ns;

	if (duration_ns < 1000 && duration_ns > -1000)
		g_string_append_printf(text, "%" G_GINT64_FORMAT " ns", duration_ns);
	else if (duration_ns < 1000000 && duration_ns > -1000000)
		g_string_append_printf(text, "%.2f us", value / 1e3);
	else if (duration_ns < 1000000000 && duration_ns > -1000000000)
		g_string_append_printf(text, "%.2f ms", value / 1e6);
	else
		g_string_append_printf(text, "%.3f s", value / 1e9);
}

void text_moment(GString *text, const struct model *model, int64_t time_ns)
{
	g_string_append_printf(text, "%+.6f s", (double)(time_ns - model_begin_ns(model)) / 1e9);
}

void text_process(GString *text, const struct process *process)
{
	g_string_append_printf(text, "%s (pid %u", process->name ? process->name : "process",
			       process->vpid);
	if (process->hostname)
		g_string_append_printf(text, " on %s", process->hostname);
	if (process->instance)
		g_string_append_printf(text, ", use %u of this pid", process->instance + 1);
	g_string_append_c(text, ')');
}

void text_place(GString *text, const struct site *site)
{
	g_string_append(text, memory_kind_name(site->kind));
	if (site->node_id != UINT32_MAX)
		g_string_append_printf(text, " on node %u", site->node_id);
	if (site->gpu_id)
		g_string_append_printf(text,
				       site->node_id == UINT32_MAX ? " on gpu %u" : " (gpu %u)",
				       site->gpu_id);
}

static void chain_line(GString *text, int indent, const char *layer)
{
	g_string_append_printf(text, "%*s%-8s", indent, "", layer);
}

static void chain_named(GString *text, int indent, const struct sym_frame *frame,
			enum module_role role)
{
	const struct sym_level *function = &frame->levels[frame->level_count - 1];

	for (uint32_t i = 0; i + 1 < frame->level_count; i++) {
		chain_line(text, indent, module_role_name(role));
		g_string_append(text, frame->levels[i].function ? frame->levels[i].function : "?");
		level_place(text, &frame->levels[i]);
		g_string_append(text, " (inlined)\n");
	}
	chain_line(text, indent, module_role_name(role));
	g_string_append(text, function->function);
	level_place(text, function);
	if (!function->file)
		g_string_append_printf(text, " in %s", frame->module);
	if (frame->is_made_up)
		g_string_append(text, " (known by the call to it)");
	g_string_append_c(text, '\n');
}

static bool is_nameless(const struct sym_frame *frame)
{
	return !frame->levels[frame->level_count - 1].function;
}

/* Frames without names, one after the other in one module, share a line. @return the next frame. */
static uint32_t chain_nameless(GString *text, int indent, const struct stackview *view,
			       uint32_t first)
{
	const struct sym_frame *frame = view->frames[first];
	uint32_t next = first;

	chain_line(text, indent, module_role_name(view->roles[first]));
	frame_function(text, frame);
	for (next = first + 1; next < view->count; next++) {
		const struct sym_frame *other = view->frames[next];

		if (!is_nameless(other) || !frame->path || other->path != frame->path ||
		    other->reason != frame->reason)
			break;
		g_string_append_printf(text, ", +0x%" G_GINT64_MODIFIER "x", other->offset);
	}
	g_string_append_printf(text, " [%s]\n", sym_reason_text(frame->reason));
	return next;
}

void text_chain(GString *text, int indent, const struct call_type *ioctl,
		const struct call_type *type, const struct stackview *view)
{
	if (ioctl) {
		chain_line(text, indent, "kernel");
		g_string_append_printf(text, "%s\n", ioctl->name);
	}
	if (type && type != ioctl) {
		chain_line(text, indent, type->layer == LAYER_HIP ? "hip" : "thunk");
		g_string_append_printf(text, "%s\n", type->name);
	}
	for (uint32_t i = 0; i < view->count;) {
		if (is_nameless(view->frames[i])) {
			i = chain_nameless(text, indent, view, i);
			continue;
		}
		chain_named(text, indent, view->frames[i], view->roles[i]);
		i++;
	}
	if (view->truncated)
		g_string_append_printf(text, "%*s(the recorder cut the stack here)\n", indent, "");
	if (view->count == 0)
		g_string_append_printf(text, "%*s(no stack was recorded)\n", indent, "");
}

void text_caller(GString *text, const struct stackview *view)
{
	const struct sym_frame *frame;

	if (view->caller < 0)
		return;
	frame = view->frames[view->caller];
	g_string_append(text, " in ");
	if (frame->levels[0].function && frame->level_count > 1)
		g_string_append(text, frame->levels[0].function);
	else
		frame_function(text, frame);
	level_place(text, &frame->levels[0]);
}

void text_errno(GString *text, uint32_t os_errno)
{
	const char *name = strerrorname_np((int)os_errno);

	if (name)
		g_string_append(text, name);
	else
		g_string_append_printf(text, "errno %u", os_errno);
}

void text_status(GString *text, uint32_t status)
{
	static const char *const names[] = {
		[0] = "SUCCESS",
		[1] = "ERROR",
		[2] = "DRIVER_MISMATCH",
		[3] = "INVALID_PARAMETER",
		[4] = "INVALID_HANDLE",
		[5] = "INVALID_NODE_UNIT",
		[6] = "NO_MEMORY",
		[7] = "BUFFER_TOO_SMALL",
		[10] = "NOT_IMPLEMENTED",
		[11] = "NOT_SUPPORTED",
		[12] = "UNAVAILABLE",
		[13] = "OUT_OF_RESOURCES",
		[20] = "KERNEL_IO_CHANNEL_NOT_OPENED",
		[21] = "KERNEL_COMMUNICATION_ERROR",
		[22] = "KERNEL_ALREADY_OPENED",
		[23] = "HSAMMU_UNAVAILABLE",
		[30] = "WAIT_FAILURE",
		[31] = "WAIT_TIMEOUT",
		[35] = "MEMORY_ALREADY_REGISTERED",
		[36] = "MEMORY_NOT_REGISTERED",
		[37] = "MEMORY_ALIGNMENT",
	};

	if (status < G_N_ELEMENTS(names) && names[status])
		g_string_append(text, names[status]);
	else
		g_string_append_printf(text, "status %u", status);
}
