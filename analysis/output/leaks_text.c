/* SPDX-License-Identifier: MIT */
/* The leak report as text (leaks_text.h). */
#include "output/leaks_text.h"

#include "output/text.h"

/* Sections that repeat nothing: which groups, and what is said of them. */
struct section {
	enum leak_layer layer;
	bool undecided;
	const char *title, *verdict;
};

static const struct section sections[] = {
	{ LEAK_APPLICATION, false, NULL, "never freed" },
	{ LEAK_KERNEL, false, "FREE REFUSED", "whose free the kernel refused" },
	{ LEAK_UNKNOWN, false, "TAKEN BEFORE THE RECORDING BEGAN", "not freed since" },
	{ LEAK_THUNK, false, "KEPT BY THE THUNK", "kept by libhsakmt after the free" },
	{ LEAK_RUNTIME, false, "KEPT BY THE RUNTIME", "taken and kept by the runtime for itself" },
	{ LEAK_APPLICATION, true, "UNDECIDED", "which may have been freed unseen" },
};

/* What the application left is called after the moment: held is not the same as leaked. */
static const char *const moment_titles[LEFT_MOMENT_COUNT] = {
	[LEFT_AT_CLOSE] = "NEVER FREED, LEFT AT CLOSE",
	[LEFT_AT_EXIT] = "NEVER FREED, LEFT AT EXIT",
	[LEFT_AT_SIGNAL] = "HELD AT ABNORMAL END",
	[LEFT_AT_END] = "HELD AT THE END OF THE RECORDING",
};

static void moment_text(GString *text, enum leak_moment moment, const struct process *process)
{
	switch (moment) {
	case LEFT_AT_CLOSE:
		g_string_append(text, "left over when the process closed the driver");
		return;
	case LEFT_AT_EXIT:
		g_string_append(text, "left over at exit; the process ended without closing the "
				      "driver");
		if (process->end_code > 0)
			g_string_append_printf(text, " (exit code %d)", process->end_code);
		return;
	case LEFT_AT_SIGNAL:
		g_string_append_printf(text,
				       "held at abnormal end: the process was ended by signal %d "
				       "without closing the driver",
				       process->end_code);
		return;
	case LEFT_AT_END:
		g_string_append(text, "held at the end of the recording: the process did not close "
				      "the driver nor exit; it was killed, crashed, or still ran");
		return;
	case LEFT_MOMENT_COUNT:
		return;
	}
}

static void refusal_text(GString *text, const struct leak_group *group,
			 const struct leaks_report *report)
{
	const struct refusal *refusal = &group->refusal;

	if (!refusal->count)
		return;
	g_string_append_printf(text, "    %u %s refused, the last at ", refusal->count,
			       refusal->count == 1 ? "free was" : "frees were");
	text_moment(text, report->model, refusal->time_ns);
	g_string_append(text, " with ");
	if (refusal->status) {
		text_status(text, refusal->status);
		g_string_append(text, ", ");
	}
	text_errno(text, refusal->os_errno);
	for (uint32_t i = 0; i < refusal->mapped_count; i++) {
		const struct node *node =
			process_node_of_gpu(group->process, (uint32_t)refusal->mapped_gpus[i]);

		g_string_append(text, i == 0                          ? ": still mapped on "
				      : i + 1 < refusal->mapped_count ? ", "
								      : " and ");
		if (node)
			g_string_append_printf(text, "node %u", node->node_id);
		else
			g_string_append_printf(text, "gpu %u", (uint32_t)refusal->mapped_gpus[i]);
	}
	g_string_append(text, "; freed");
	text_caller(text, group->refused);
	g_string_append(text, ":\n");
	text_chain(text, 8, NULL, NULL, group->refused);
}

/* Where a runtime took more than it was asked for, or took nothing since it still had some. */
static void behind_text(GString *text, const struct leak_group *group)
{
	if (!group->is_request || group->behind.bytes == group->sum.bytes)
		return;
	g_string_append(text, "    asked of the runtime; ");
	if (group->behind.count) {
		g_string_append(text, "it keeps ");
		text_bytes(text, group->behind.bytes);
		g_string_append(text, " in ");
		text_count(text, group->behind.count, "block", "blocks");
		g_string_append(text, " of the driver's memory for that\n");
	} else {
		g_string_append(text, "it lies in memory counted above, or in none recorded\n");
	}
}

static void group_text(GString *text, const struct leak_group *group, const char *verdict,
		       enum leak_moment moment, const struct leaks_report *report)
{
	text_bytes(text, group->sum.bytes);
	g_string_append(text, " in ");
	text_count(text, group->sum.count, "block of ", "blocks of ");
	text_place(text, group->site);
	g_string_append_printf(text, ", %s", verdict);
	/* A virtual machine's guest may be gone while its host goes on; a process may open again. */
	if (group->moment == LEFT_AT_CLOSE && moment != LEFT_AT_CLOSE)
		g_string_append(text, ", left over at an earlier close");
	g_string_append_c(text, '\n');
	behind_text(text, group);
	if (group->view->caller >= 0) {
		g_string_append(text, group->layer == LEAK_RUNTIME ? "    during a call"
								   : "    allocated");
		text_caller(text, group->view);
		g_string_append_c(text, '\n');
	}
	g_string_append(text, "    taken ");
	if (group->sum.count > 1) {
		g_string_append(text, "from ");
		text_moment(text, report->model, group->first_ns);
		g_string_append(text, " to ");
		text_moment(text, report->model, group->last_ns);
	} else {
		g_string_append(text, "at ");
		text_moment(text, report->model, group->first_ns);
	}
	if (group->taken_count > group->sum.count) {
		g_string_append(text, "; ");
		text_count(text, group->taken_count, "block", "blocks");
		g_string_append(text, " in all were taken this way");
	}
	g_string_append_c(text, '\n');
	if (group->free_pending) {
		g_string_append(text, "    ");
		text_count(text, group->free_pending, "of them was", "of them were");
		g_string_append(text, " being freed when the recording ended\n");
	}
	text_chain(text, 8, group->site->ioctl, group->site->type, group->view);
	refusal_text(text, group, report);
	g_string_append_c(text, '\n');
}

static bool in_section(const struct leak_group *group, const struct section *section,
		       const struct process *process)
{
	return group->process == process && group->undecided == section->undecided &&
	       (section->undecided || group->layer == section->layer);
}

/* What runtimes keep is seldom of interest, and long. */
static bool is_collapsed(const struct leaks_report *report, enum leak_layer layer)
{
	return layer == LEAK_RUNTIME && !report->options.runtime;
}

static void section_text(GString *text, const struct leaks_report *report,
			 const struct section *section, const struct leaks_process *leaks)
{
	struct leak_sum all = section->undecided ? leaks->undecided : leaks->layers[section->layer];
	struct leak_sum hidden = { 0, 0 };
	guint shown = 0, more = 0;

	if (all.count == 0)
		return;
	if (section->layer == LEAK_APPLICATION && !section->undecided)
		g_string_append_printf(text, "%s\n", moment_titles[leaks->moment]);
	else
		g_string_append_printf(text, "%s\n", section->title);
	text_bytes(text, all.bytes);
	g_string_append(text, " in ");
	if (is_collapsed(report, section->layer)) {
		text_count(text, all.count, "block", "blocks");
		g_string_append(text, ", which no call of the program can free (--runtime lists "
				      "them)\n\n");
		return;
	}
	text_count(text, all.count, "block, ", "blocks, ");
	moment_text(text, leaks->moment, leaks->process);
	g_string_append(text, ".\n\n");
	for (guint i = 0; i < report->groups->len; i++) {
		const struct leak_group *group = g_ptr_array_index(report->groups, i);

		if (!in_section(group, section, leaks->process))
			continue;
		if (report->options.top && shown >= report->options.top) {
			hidden.count += group->sum.count;
			hidden.bytes += group->sum.bytes;
			more++;
			continue;
		}
		group_text(text, group, section->verdict, leaks->moment, report);
		shown++;
	}
	if (more) {
		g_string_append(text, "and ");
		text_bytes(text, hidden.bytes);
		g_string_append(text, " in ");
		text_count(text, hidden.count, "block", "blocks");
		g_string_append_printf(text, " from %u other %s\n\n", more,
				       more == 1 ? "place" : "places");
	}
}

/* What is listed apart from the memory that was left behind. */
struct listing {
	const char *title, *one, *many;
	bool is_counted; /* registrations are */
};

static const struct listing registrations_listing = { "HOST MEMORY STILL REGISTERED", "range",
						      "ranges", true };
static const struct listing imports_listing = { "IMPORTS STILL OPEN", "import", "imports", false };
static const struct listing reservations_listing = { "ADDRESSES STILL RESERVED (no memory)",
						     "range", "ranges", false };

static void listed_text(GString *text, const struct leak_group *group,
			const struct listing *listing)
{
	text_bytes(text, group->sum.bytes);
	g_string_append(text, " in ");
	text_count(text, group->sum.count, listing->one, listing->many);
	if (listing->is_counted) {
		g_string_append_printf(text, ", registered %" G_GUINT64_FORMAT " and deregistered ",
				       group->registered);
		text_count(text, group->deregistered, "time", "times");
	}
	if (group->undecided)
		g_string_append(text, " (undecided: events were lost)");
	if (group->layer == LEAK_RUNTIME)
		g_string_append(text, ", by the runtime for itself,");
	text_caller(text, group->view);
	g_string_append(text, "\n");
	text_chain(text, 8, group->site->ioctl, group->site->type, group->view);
	g_string_append_c(text, '\n');
}

static void list_text(GString *text, const struct leaks_report *report, const GPtrArray *groups,
		      const struct process *process, const struct listing *listing)
{
	struct leak_sum hidden = { 0, 0 };
	bool first = true;

	for (guint i = 0; i < groups->len; i++) {
		const struct leak_group *group = g_ptr_array_index(groups, i);

		if (group->process != process)
			continue;
		if (first)
			g_string_append_printf(text, "%s\n", listing->title);
		first = false;
		if (is_collapsed(report, group->layer)) {
			hidden.count += group->sum.count;
			hidden.bytes += group->sum.bytes;
		} else {
			listed_text(text, group, listing);
		}
	}
	if (hidden.count == 0)
		return;
	text_bytes(text, hidden.bytes);
	g_string_append(text, " in ");
	text_count(text, hidden.count, listing->one, listing->many);
	g_string_append(text, " by the runtime for itself (--runtime lists them)\n\n");
}

static void shares_text(GString *text, const struct leaks_report *report,
			const struct process *process)
{
	bool first = true;

	for (guint i = 0; i < report->freed_shares->len; i++) {
		const struct share *share = g_ptr_array_index(report->freed_shares, i);
		struct stackview view;

		if (share->process != process)
			continue;
		if (first)
			g_string_append(text, "EXPORTED, THEN FREED (the driver may keep it)\n");
		first = false;
		text_bytes(text, share->size_bytes);
		g_string_append(text, " exported at ");
		text_moment(text, report->model, share->time_ns);
		g_string_append(text, ", freed at ");
		text_moment(text, report->model, share->freed_ns);
		if (share->importers) {
			g_string_append(text, ", imported ");
			text_count(text, share->importers, "time", "times");
		} else {
			g_string_append(text, ", importer: none seen");
		}
		g_string_append(text, "; exported");
		stackview_init(&view, report->sym, process, share->stack);
		text_caller(text, &view);
		g_string_append_c(text, '\n');
		text_chain(text, 8, NULL, NULL, &view);
		stackview_fini(&view);
		stackview_init(&view, report->sym, process, share->free_stack);
		g_string_append(text, "    freed");
		text_caller(text, &view);
		g_string_append_c(text, '\n');
		text_chain(text, 8, NULL, NULL, &view);
		stackview_fini(&view);
	}
	if (!first)
		g_string_append_c(text, '\n');
}

/* Runtimes leave threads waiting at a normal exit; after any other end it is of interest. */
static void unfinished_text(GString *text, const struct leaks_report *report,
			    const struct leaks_process *leaks)
{
	const GArray *calls = leaks->process->unfinished;

	if (calls->len == 0 || leaks->moment == LEFT_AT_EXIT || leaks->moment == LEFT_AT_CLOSE)
		return;
	g_string_append(text, "CALLS THAT DID NOT RETURN\n");
	for (guint i = 0; i < calls->len; i++) {
		const struct unfinished *call = &g_array_index(calls, struct unfinished, i);
		struct stackview view;

		g_string_append_printf(text, "%s in thread %u since ", call->type->name,
				       call->vtid);
		text_moment(text, report->model, call->since_ns);
		stackview_init(&view, report->sym, leaks->process, call->stack);
		g_string_append(text, view.caller >= 0 ? ", called" : "");
		text_caller(text, &view);
		g_string_append_c(text, '\n');
		text_chain(text, 8, NULL, NULL, &view);
		stackview_fini(&view);
	}
	g_string_append_c(text, '\n');
}

static void internal_text(GString *text, const struct memory *memory)
{
	const struct scope *scope = model_scope(memory->process->model);
	bool first = true;

	for (int i = ORIGIN_QUEUE; i < ORIGIN_COUNT; i++) {
		if (memory->origin_count[i] == 0)
			continue;
		if (first)
			g_string_append(text, "TAKEN BY THE LIBRARY FOR ITSELF\n");
		first = false;
		text_bytes(text, usage_result(&memory->origin_usage[i], scope).live_bytes);
		g_string_append_printf(text, " left of ");
		text_bytes(text, memory->origin_bytes[i]);
		g_string_append(text, " in ");
		text_count(text, memory->origin_count[i], "block for ", "blocks for ");
		g_string_append_printf(text, "%s", block_origin_name((enum block_origin)i));
		if (i == ORIGIN_QUEUE)
			g_string_append_printf(text,
					       " (%" G_GUINT64_FORMAT " created, %" G_GUINT64_FORMAT
					       " destroyed)",
					       memory->queues_created, memory->queues_destroyed);
		g_string_append_c(text, '\n');
	}
	if (!first)
		g_string_append_c(text, '\n');
}

static void restored_text(GString *text, const struct memory *memory)
{
	const uint64_t unclear = memory_unclear_frees(memory);

	text_bytes(text, memory->restored_bytes);
	g_string_append(text, " in ");
	text_count(text, memory->restored_count, "block was", "blocks were");
	g_string_append(text, " restored from a checkpoint");
	if (memory->restored_unlisted) {
		g_string_append(text, ", and ");
		text_count(text, memory->restored_unlisted, "more that is", "more that are");
		g_string_append(text, " not in the recording");
	}
	g_string_append(text, ".\n");
	if (unclear) {
		text_count(text, unclear, "of them was", "of them were");
		g_string_append(text, " freed by a handle that does not tell which one it was.\n");
	}
}

static void usage_text(GString *text, const struct leaks_report *report,
		       const struct memory *memory)
{
	const struct scope *scope = model_scope(report->model);
	const struct usage usage = usage_result(&memory->usage, scope);
	const uint64_t registered = usage_result(&memory->registered, scope).peak_bytes;

	text_bytes(text, usage.peak_bytes);
	g_string_append(text, " were live at the peak");
	if (usage.peak_bytes) { /* else there was no such moment */
		g_string_append(text, ", ");
		text_moment(text, report->model, usage.peak_ns);
	}
	g_string_append(text, ".\n");
	text_bytes(text, memory->freed_bytes);
	g_string_append(text, " in ");
	text_count(text, memory->freed_count, "block was freed.\n", "blocks were freed.\n");
	if (memory->failed_frees) {
		text_count(text, memory->failed_frees, "free failed", "frees failed");
		g_string_append(text, "; a failed free ends no lifetime.\n");
	}
	if (memory->replaced) {
		text_count(text, memory->replaced, "block was", "blocks were");
		g_string_append(text, " replaced at the same address without a recorded free.\n");
	}
	if (memory->restored_count || memory->restored_unlisted)
		restored_text(text, memory);
	if (memory->settled_by_dump) {
		text_count(text, memory->settled_by_dump, "block was", "blocks were");
		g_string_append(text, " gone by a later state dump; the free was not recorded.\n");
	}
	if (registered) {
		text_bytes(text, registered);
		g_string_append(text, " of host memory were registered at the peak");
		if (memory->process->memlock_bytes) {
			g_string_append(text, "; the limit of locked memory is ");
			text_bytes(text, memory->process->memlock_bytes);
		}
		g_string_append(text, ".\n");
	}
}

static void nothing_text(GString *text, const struct leaks_process *leaks)
{
	const struct memory *memory = leaks->process->memory;
	const struct leak_sum *runtime = &leaks->layers[LEAK_RUNTIME];

	if (leaks->suppressed.count) {
		g_string_append(text, "Nothing leaked but what is suppressed: ");
		text_count(text, leaks->suppressed.count, "block", "blocks");
		g_string_append(text, ". ");
	} else {
		g_string_append(text, "Nothing leaked: the program left no block behind. ");
	}
	text_count(text, memory->freed_count, "block was", "blocks were");
	g_string_append(text, " freed");
	if (runtime->count) {
		g_string_append(text, "; ");
		text_count(text, runtime->count, "block", "blocks");
		g_string_append(text, " the runtime took and keeps for itself");
	}
	g_string_append(text, ".\n");
}

static void process_text(GString *text, const struct leaks_report *report,
			 const struct leaks_process *leaks)
{
	const struct process *process = leaks->process;

	text_process(text, process);
	if (process->forked)
		g_string_append_printf(text, ", forked from pid %u", process->ppid);
	g_string_append(text, "\n");
	if (leaks->left.count == leaks->layers[LEAK_RUNTIME].count && leaks->undecided.count == 0)
		nothing_text(text, leaks);
	usage_text(text, report, process->memory);
	if (process->lost_events)
		g_string_append_printf(text,
				       "%" G_GUINT64_FORMAT " lost events can have been this "
				       "process's.\n",
				       process->lost_events);
	if (!process->has_api && process->has_ioctl)
		g_string_append(text, "Only ioctls were recorded: each buffer object is a block by "
				      "itself, and who asked for it shows only in the stacks.\n");
	if (process->has_api && !process->has_ioctl)
		g_string_append(text,
				"No ioctls were recorded: memory that the thunk or the kernel "
				"kept cannot show.\n");
	g_string_append_c(text, '\n');
	for (size_t i = 0; i < G_N_ELEMENTS(sections); i++)
		section_text(text, report, &sections[i], leaks);
	list_text(text, report, report->registrations, process, &registrations_listing);
	list_text(text, report, report->imports, process, &imports_listing);
	list_text(text, report, report->reservations, process, &reservations_listing);
	shares_text(text, report, process);
	unfinished_text(text, report, leaks);
	internal_text(text, process->memory);
}

/* Which frames have no name, and which files would help. */
static void names_text(GString *text, const struct leaks_report *report)
{
	for (int i = SYM_OUTSIDE; i < SYM_REASON_COUNT; i++) {
		if (report->frames[i] == 0)
			continue;
		text_count(text, report->frames[i], "frame has", "frames have");
		g_string_append_printf(text, " no name: %s.\n",
				       sym_reason_text((enum sym_reason)i));
		for (guint j = 0; j < report->nameless->len; j++) {
			const struct sym_frame *frame = g_ptr_array_index(report->nameless, j);

			if ((int)frame->reason == i)
				g_string_append_printf(text, "    %s, build id %s\n", frame->path,
						       frame->build_id ? frame->build_id
								       : "unknown");
		}
	}
}

static void totals_text(GString *text, const struct leaks_report *report)
{
	g_string_append(text, "TOTAL\n");
	text_bytes(text, report->left.bytes);
	g_string_append(text, " in ");
	text_count(text, report->left.count, "block", "blocks");
	g_string_append(text, report->left.count ? " left over:\n" : " left over.\n");
	for (int i = 0; i < LEAK_LAYER_COUNT; i++) {
		if (report->layers[i].count == 0)
			continue;
		g_string_append(text, "    ");
		text_bytes(text, report->layers[i].bytes);
		g_string_append(text, " in ");
		text_count(text, report->layers[i].count, "block", "blocks");
		g_string_append_printf(text, ": %s\n", leak_layer_name((enum leak_layer)i));
	}
	if (report->undecided.count) {
		text_bytes(text, report->undecided.bytes);
		g_string_append(text, " in ");
		text_count(text, report->undecided.count, "block", "blocks");
		g_string_append(text, " undecided, not counted above.\n");
	}
	names_text(text, report);
}

static void suppressed_text(GString *text, const struct leaks_report *report)
{
	const struct suppressions *suppressions = report->options.suppressions;

	if (!suppressions)
		return;
	g_string_append(text, "\nSUPPRESSED, and in none of the numbers above: ");
	text_bytes(text, report->suppressed.bytes);
	g_string_append(text, " in ");
	text_count(text, report->suppressed.count, "block", "blocks");
	g_string_append(text, "\n");
	for (guint i = 0; i < suppressions->list->len; i++) {
		const struct suppression *suppression = g_ptr_array_index(suppressions->list, i);

		g_string_append(text, "    ");
		text_bytes(text, suppression->bytes);
		g_string_append(text, " in ");
		text_count(text, suppression->count, "block", "blocks");
		g_string_append_printf(text, " by leak:%s%s\n", suppression->pattern,
				       suppression->count ? "" : " (not needed)");
	}
}

void leaks_text(GString *text, const struct leaks_report *report, const struct report_notes *notes)
{
	bool any = false;

	header_text(text, "LEAKS", report->model, notes);
	for (guint i = 0; i < report->processes->len; i++) {
		const struct leaks_process *leaks =
			&g_array_index(report->processes, struct leaks_process, i);

		if (leaks->process->has_api || leaks->process->has_ioctl ||
		    leaks->process->memory->ids)
			process_text(text, report, leaks);
		any |= leaks->process->has_api || leaks->process->has_ioctl;
	}
	if (!any)
		g_string_append(text,
				"No call of the library was recorded: the program made none, or "
				"it does not use kfdscope's library ('kfdscope doctor' "
				"tells).\n\n");
	totals_text(text, report);
	suppressed_text(text, report);
}
