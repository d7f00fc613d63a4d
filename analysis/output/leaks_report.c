/* SPDX-License-Identifier: MIT */
/* Grouping and attribution of what was left over (leaks_report.h). */
#include "output/leaks_report.h"

#include <string.h>

#include "model/requests.h"

const char *leak_moment_name(enum leak_moment moment)
{
	static const char *const names[LEFT_MOMENT_COUNT] = {
		[LEFT_AT_CLOSE] = "close",
		[LEFT_AT_EXIT] = "exit",
		[LEFT_AT_SIGNAL] = "signal",
		[LEFT_AT_END] = "end of recording",
	};

	return names[moment];
}

static enum leak_moment process_moment(const struct process *process)
{
	if (process->closed_ns)
		return LEFT_AT_CLOSE;
	switch (process->end) {
	case PROCESS_END_EXIT:
		return LEFT_AT_EXIT;
	case PROCESS_END_SIGNAL:
		return LEFT_AT_SIGNAL;
	case PROCESS_END_UNKNOWN:
		break;
	}
	return LEFT_AT_END;
}

/* Whose groups a key is of. */
enum key_kind { KEY_BLOCKS, KEY_REQUESTS };

/* While groups are made. */
struct grouping {
	struct leaks_report *report;
	struct attribution *attribution;
	GHashTable *groups; /* key (GBytes, owned) -> struct leak_group (borrowed) */
	GHashTable *seen;   /* frames that were counted by reason */
	GHashTable *behind; /* of one process: struct request -> struct block */
};

static void count_frames(struct grouping *grouping, const struct stackview *view)
{
	struct leaks_report *report = grouping->report;

	for (uint32_t i = 0; i < view->count; i++) {
		const struct sym_frame *frame = view->frames[i];
		bool listed = !frame->path || frame->reason == SYM_OK;

		if (frame->is_made_up || !g_hash_table_add(grouping->seen, (void *)frame))
			continue;
		report->frames[frame->reason]++;
		for (guint j = 0; j < report->nameless->len && !listed; j++) {
			const struct sym_frame *other = g_ptr_array_index(report->nameless, j);

			listed = other->path == frame->path && other->reason == frame->reason;
		}
		if (!listed)
			g_ptr_array_add(report->nameless, (void *)frame);
	}
}

/* What is equal in a group: such numbers, and the way to it. */
static GBytes *make_key(const uint64_t *parts, size_t count, const struct stackview *view,
			const struct stack *stack)
{
	GByteArray *key = g_byte_array_new();

	g_byte_array_append(key, (const guint8 *)parts, (guint)(count * sizeof(parts[0])));
	stackview_key(view, key);
	/* All frames left out: */
	if (view->count == 0 && stack)
		g_byte_array_append(key, (const guint8 *)&stack, sizeof(stack));
	return g_byte_array_free_to_bytes(key);
}

static GBytes *group_key(const struct block *block, const struct stackview *view,
			 enum leak_layer layer, bool undecided)
{
	const struct site *site = block->site;
	const uint64_t parts[] = { KEY_BLOCKS,
				   (uintptr_t)site->process,
				   layer,
				   undecided,
				   site->class,
				   site->kind,
				   site->node_id,
				   site->gpu_id,
				   (uintptr_t)site->type,
				   (uintptr_t)site->ioctl };

	return make_key(parts, G_N_ELEMENTS(parts), view, site->stack);
}

static void group_add(struct grouping *grouping, GPtrArray *list, const struct block *block,
		      const struct stackview *view, enum leak_layer layer, bool undecided)
{
	GBytes *key = group_key(block, view, layer, undecided);
	struct leak_group *group = g_hash_table_lookup(grouping->groups, key);
	struct process *process = block->site->process;

	if (!group) {
		group = g_new0(struct leak_group, 1);
		group->process = process;
		group->site = block->site;
		group->layer = layer;
		group->undecided = undecided;
		group->moment =
			block->fate == FATE_AT_CLOSE ? LEFT_AT_CLOSE : process_moment(process);
		group->first_ns = group->last_ns = block->begin_ns;
		group->view = view;
		count_frames(grouping, view);
		g_hash_table_insert(grouping->groups, g_bytes_ref(key), group);
		g_ptr_array_add(list, group);
	}
	group->sum.count++;
	group->sum.bytes += block->size_bytes;
	group->first_ns = MIN(group->first_ns, block->begin_ns);
	group->last_ns = MAX(group->last_ns, block->begin_ns);
	group->taken_count = MAX(group->taken_count, block->site->taken_count);
	group->free_pending += block->free_pending;
	group->registered += block->registered;
	group->deregistered += block->deregistered;
	if (block->refusal.count && block->refusal.time_ns >= group->refusal.time_ns) {
		group->refusal = block->refusal;
		group->refused =
			attribution_view(grouping->attribution, process, block->refusal.stack);
	}
	g_bytes_unref(key);
}

static void sum_add(struct leak_sum *sum, uint64_t bytes)
{
	sum->count++;
	sum->bytes += bytes;
}

static bool wanted(const struct leaks_options *options, const struct block *block)
{
	return model_within(block->site->process->model, options->begin_ns, options->end_ns,
			    block->begin_ns);
}

static void count_left(struct leaks_report *report, struct leaks_process *leaks,
		       enum leak_layer layer, bool undecided, uint64_t bytes)
{
	if (undecided) {
		sum_add(&leaks->undecided, bytes);
		sum_add(&report->undecided, bytes);
		return;
	}
	sum_add(&leaks->layers[layer], bytes);
	sum_add(&leaks->left, bytes);
	sum_add(&report->layers[layer], bytes);
	sum_add(&report->left, bytes);
}

/* The program asked for what is in the block, and the requests tell how much of it. */
static bool is_asked(const struct grouping *grouping, const struct block *block)
{
	return (block->site->class == BLOCK_ALLOCATION || block->site->class == BLOCK_BO) &&
	       attribution_has_request(grouping->attribution, block) && !block->refusal.count;
}

static void take_block(struct grouping *grouping, struct leaks_process *leaks,
		       const struct block *block)
{
	struct leaks_report *report = grouping->report;
	const struct stackview *view =
		attribution_view(grouping->attribution, leaks->process, block->site->stack);
	bool undecided = model_doubt(report->model, block) != NULL || block_is_unclear(block);
	enum leak_layer layer;

	switch (block->site->class) {
	case BLOCK_INTERNAL:
	case BLOCK_CLASS_COUNT:
		return;
	case BLOCK_REGISTRATION:
		group_add(grouping, report->registrations, block, view,
			  attribution_layer(grouping->attribution, block, view), undecided);
		return;
	case BLOCK_IMPORT:
		group_add(grouping, report->imports, block, view,
			  attribution_layer(grouping->attribution, block, view), undecided);
		return;
	case BLOCK_ALLOCATION:
	case BLOCK_KEPT:
	case BLOCK_BO:
		break;
	}
	if (block->site->kind == MEMORY_MMIO || block->site->kind == MEMORY_DOORBELL)
		return; /* pages of registers, not memory */
	if (is_asked(grouping, block))
		return; /* take_request() */
	layer = attribution_layer(grouping->attribution, block, view);
	if (site_is_reserved(block->site)) {
		group_add(grouping, report->reservations, block, view, layer, undecided);
		return;
	}
	group_add(grouping, report->groups, block, view, layer, undecided);
	count_left(report, leaks, layer, undecided, block->size_bytes);
}

/* The block was taken for this request alone, so that its stack leads on from the request's. */
static bool is_served(const struct request *request, const struct block *block)
{
	if (block && block->from_dump && request->from_dump)
		return block->made > request->asked && block->made < request->made;
	return block && block->served == request->site->type &&
	       block->begin_ns >= request->entry_ns && block->begin_ns <= request->begin_ns;
}

/* By what the program did: which of its requests made the runtime take memory is chance. */
static GBytes *request_key(const struct request *request, const struct block *block,
			   const struct stackview *view, bool undecided)
{
	const uint64_t parts[] = { KEY_REQUESTS,
				   (uintptr_t)request->site->process,
				   (uintptr_t)request->site->type,
				   undecided,
				   block ? (uint64_t)block->site->kind : UINT64_MAX,
				   block ? block->site->node_id : UINT32_MAX };

	return make_key(parts, G_N_ELEMENTS(parts), view, request->site->stack);
}

static struct leak_group *request_group_new(const struct request *request,
					    const struct block *block)
{
	struct leak_group *group = g_new0(struct leak_group, 1);

	group->process = request->site->process;
	group->own_site = *request->site;
	if (block) {
		group->own_site.kind = block->site->kind;
		group->own_site.node_id = block->site->node_id;
		group->own_site.gpu_id = block->site->gpu_id;
	}
	group->site = &group->own_site;
	group->layer = LEAK_APPLICATION;
	group->moment = block && block->fate == FATE_AT_CLOSE ? LEFT_AT_CLOSE
							      : process_moment(group->process);
	group->is_request = true;
	group->first_ns = group->last_ns = request->begin_ns;
	group->taken_count = request->site->taken_count;
	return group;
}

static struct leak_group *request_group(struct grouping *grouping, const struct request *request,
					const struct block *block, bool undecided)
{
	struct process *process = request->site->process;
	const struct stackview *view =
		attribution_view(grouping->attribution, process, request->site->stack);
	GBytes *key = request_key(request, block, view, undecided);
	struct leak_group *group = g_hash_table_lookup(grouping->groups, key);

	if (!group) {
		group = request_group_new(request, block);
		group->undecided = undecided;
		group->view = view;
		g_hash_table_insert(grouping->groups, g_bytes_ref(key), group);
		g_ptr_array_add(grouping->report->groups, group);
	}
	g_bytes_unref(key);
	/* The first block that was taken for one of them tells the whole way down. */
	if (is_served(request, block) && group->site == &group->own_site) {
		group->site = block->site;
		group->view = attribution_view(grouping->attribution, process, block->site->stack);
	}
	return group;
}

static void take_request(struct grouping *grouping, struct leaks_process *leaks,
			 const struct request *request, GHashTable *counted)
{
	const struct process *process = request->site->process;
	const struct block *block = g_hash_table_lookup(grouping->behind, request);
	bool undecided = model_doubt_since(grouping->report->model, process, request->begin_ns);
	struct leak_group *group;

	if (block && !is_asked(grouping, block))
		return; /* said of the block: its free was refused, or it is a registration */
	group = request_group(grouping, request, block, undecided);
	sum_add(&group->sum, request->size_bytes);
	if (block && g_hash_table_add(counted, (void *)block))
		sum_add(&group->behind, block->size_bytes);
	group->first_ns = MIN(group->first_ns, request->begin_ns);
	group->last_ns = MAX(group->last_ns, request->begin_ns);
	group->free_pending += request->free_pending;
	count_left(grouping->report, leaks, LEAK_APPLICATION, undecided, request->size_bytes);
}

static int compare_requests(const void *left, const void *right)
{
	const struct request *a = *(struct request *const *)left;
	const struct request *b = *(struct request *const *)right;

	return a->made < b->made ? -1 : a->made > b->made;
}

static void take_requests(struct grouping *grouping, struct leaks_process *leaks)
{
	const struct leaks_options *options = &grouping->report->options;
	const GPtrArray *groups = grouping->report->groups;
	const guint first = groups->len;
	GPtrArray *live = g_ptr_array_new();
	GHashTable *counted = g_hash_table_new(NULL, NULL);
	GHashTableIter iter;
	void *key;

	g_hash_table_iter_init(&iter, leaks->process->requests->live);
	while (g_hash_table_iter_next(&iter, &key, NULL)) {
		const struct request *request = key;

		if (model_within(grouping->report->model, options->begin_ns, options->end_ns,
				 request->begin_ns))
			g_ptr_array_add(live, key);
	}
	g_ptr_array_sort(live, compare_requests);
	for (guint i = 0; i < live->len; i++)
		take_request(grouping, leaks, g_ptr_array_index(live, i), counted);
	for (guint i = first; i < groups->len; i++) {
		const struct leak_group *group = g_ptr_array_index(groups, i);

		count_frames(grouping, group->view);
	}
	g_hash_table_destroy(counted);
	g_ptr_array_free(live, TRUE);
}

static int compare_blocks(const void *left, const void *right)
{
	const struct block *a = *(struct block *const *)left, *b = *(struct block *const *)right;

	return a->id < b->id ? -1 : a->id > b->id;
}

static void take_process(struct grouping *grouping, const struct process *process)
{
	struct leaks_report *report = grouping->report;
	struct leaks_process leaks = { .process = process, .moment = process_moment(process) };
	GPtrArray *blocks = g_ptr_array_new();
	GHashTableIter iter;
	void *key;

	for (GList *at = process->memory->blocks.head; at; at = at->next)
		g_ptr_array_add(blocks, at->data);
	attribution_learn(grouping->attribution, process);
	grouping->behind = requests_match(process->requests, process->memory);
	g_hash_table_iter_init(&iter, grouping->behind);
	while (g_hash_table_iter_next(&iter, NULL, &key))
		attribution_ask(grouping->attribution, key);
	g_ptr_array_sort(blocks, compare_blocks); /* groups of equal size keep their order */
	for (guint i = 0; i < blocks->len; i++) {
		const struct block *block = g_ptr_array_index(blocks, i);

		if (wanted(&report->options, block))
			take_block(grouping, &leaks, block);
	}
	g_ptr_array_free(blocks, TRUE);
	take_requests(grouping, &leaks);
	g_hash_table_destroy(grouping->behind);
	for (guint i = 0; i < process->memory->shares->len; i++) {
		struct share *share = g_ptr_array_index(process->memory->shares, i);

		if (share->freed_ns &&
		    scope_overlaps(model_scope(report->model), share->time_ns, share->freed_ns))
			g_ptr_array_add(report->freed_shares, share);
	}
	g_array_append_val(report->processes, leaks);
}

static void sum_take(struct leak_sum *sum, const struct leak_sum *part)
{
	sum->count -= part->count;
	sum->bytes -= part->bytes;
}

/* Takes a group out of the sums that count_left() put it in. */
static void uncount(struct leaks_report *report, const struct leak_group *group)
{
	for (guint i = 0; i < report->processes->len; i++) {
		struct leaks_process *leaks =
			&g_array_index(report->processes, struct leaks_process, i);

		if (leaks->process != group->process)
			continue;
		leaks->suppressed.count += group->sum.count;
		leaks->suppressed.bytes += group->sum.bytes;
		if (group->undecided) {
			sum_take(&leaks->undecided, &group->sum);
		} else {
			sum_take(&leaks->layers[group->layer], &group->sum);
			sum_take(&leaks->left, &group->sum);
		}
	}
	if (group->undecided) {
		sum_take(&report->undecided, &group->sum);
	} else {
		sum_take(&report->layers[group->layer], &group->sum);
		sum_take(&report->left, &group->sum);
	}
}

static void suppress(struct leaks_report *report, GPtrArray *groups)
{
	for (guint i = groups->len; i > 0; i--) {
		const struct leak_group *group = g_ptr_array_index(groups, i - 1);
		struct suppression *suppression =
			suppressions_match(report->options.suppressions, group->view);

		if (!suppression)
			continue;
		suppression->count += group->sum.count;
		suppression->bytes += group->sum.bytes;
		report->suppressed.count += group->sum.count;
		report->suppressed.bytes += group->sum.bytes;
		if (groups == report->groups)
			uncount(report, group);
		g_ptr_array_remove_index(groups, i - 1);
	}
}

static int compare_groups(const void *left, const void *right)
{
	const struct leak_group *a = *(struct leak_group *const *)left;
	const struct leak_group *b = *(struct leak_group *const *)right;

	if (a->sum.bytes != b->sum.bytes)
		return a->sum.bytes > b->sum.bytes ? -1 : 1;
	if (a->sum.count != b->sum.count)
		return a->sum.count > b->sum.count ? -1 : 1;
	return a->first_ns < b->first_ns ? -1 : a->first_ns > b->first_ns;
}

struct leaks_report *leaks_report_new(const struct model *model,
				      const struct leaks_options *options)
{
	struct leaks_report *report = g_new0(struct leaks_report, 1);
	const GPtrArray *processes = model_processes(model);
	struct grouping grouping = { .report = report };

	report->model = model;
	report->options = *options;
	report->sym = sym_new(options->debug_dirs);
	report->frames_json = frames_json_new();
	report->groups = g_ptr_array_new_with_free_func(g_free);
	report->registrations = g_ptr_array_new_with_free_func(g_free);
	report->imports = g_ptr_array_new_with_free_func(g_free);
	report->reservations = g_ptr_array_new_with_free_func(g_free);
	report->freed_shares = g_ptr_array_new();
	report->nameless = g_ptr_array_new();
	report->processes = g_array_new(FALSE, TRUE, sizeof(struct leaks_process));
	grouping.attribution = report->attribution = attribution_new(report->sym);
	grouping.groups = g_hash_table_new_full(g_bytes_hash, g_bytes_equal,
						(GDestroyNotify)g_bytes_unref, NULL);
	grouping.seen = g_hash_table_new(NULL, NULL);
	for (guint i = 0; i < processes->len; i++)
		take_process(&grouping, g_ptr_array_index(processes, i));
	suppress(report, report->groups);
	suppress(report, report->registrations);
	suppress(report, report->imports);
	suppress(report, report->reservations);
	g_ptr_array_sort(report->groups, compare_groups);
	g_ptr_array_sort(report->registrations, compare_groups);
	g_ptr_array_sort(report->imports, compare_groups);
	g_ptr_array_sort(report->reservations, compare_groups);
	g_hash_table_destroy(grouping.groups);
	g_hash_table_destroy(grouping.seen);
	return report;
}

void leaks_report_free(struct leaks_report *report)
{
	if (!report)
		return;
	g_ptr_array_free(report->groups, TRUE);
	g_ptr_array_free(report->registrations, TRUE);
	g_ptr_array_free(report->imports, TRUE);
	g_ptr_array_free(report->reservations, TRUE);
	g_ptr_array_free(report->freed_shares, TRUE);
	g_ptr_array_free(report->nameless, TRUE);
	g_array_free(report->processes, TRUE);
	attribution_free(report->attribution);
	frames_json_free(report->frames_json);
	sym_free(report->sym);
	g_free(report);
}

static bool any_not_runtime(const GPtrArray *groups)
{
	for (guint i = 0; i < groups->len; i++) {
		const struct leak_group *group = g_ptr_array_index(groups, i);

		if (group->layer != LEAK_RUNTIME)
			return true;
	}
	return false;
}

bool leaks_report_has_findings(const struct leaks_report *report)
{
	return report->undecided.count || report->left.count > report->layers[LEAK_RUNTIME].count ||
	       any_not_runtime(report->registrations) || any_not_runtime(report->imports) ||
	       any_not_runtime(report->reservations);
}
