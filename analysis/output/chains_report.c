/* SPDX-License-Identifier: MIT */
/* Merging call paths by what the frames are called (chains_report.h). */
#include "output/chains_report.h"

#include <string.h>

static void row_free(void *data)
{
	struct chain_row *row = data;

	latency_fini(&row->latency);
	g_free(row);
}

static void node_free(void *data)
{
	struct chain_node *node = data;

	if (!node)
		return;
	latency_fini(&node->latency);
	g_ptr_array_free(node->children, TRUE);
	g_free(node->name);
	g_free(node);
}

static struct chain_node *node_new(const char *name, const char *layer,
				   const struct call_type *type)
{
	struct chain_node *node = g_new0(struct chain_node, 1);

	node->name = g_strdup(name);
	node->layer = layer;
	node->type = type;
	node->children = g_ptr_array_new_with_free_func(node_free);
	return node;
}

static struct chain_node *node_child(struct chain_node *parent, const char *name, const char *layer,
				     const struct call_type *type)
{
	for (guint i = 0; i < parent->children->len; i++) {
		struct chain_node *child = g_ptr_array_index(parent->children, i);

		if (child->type == type && strcmp(child->name, name) == 0)
			return child;
	}
	g_ptr_array_add(parent->children, node_new(name, layer, type));
	return g_ptr_array_index(parent->children, parent->children->len - 1);
}

static const char *call_layer(const struct call_type *type)
{
	switch (type->layer) {
	case LAYER_HIP:
		return "hip";
	case LAYER_HSA:
		return "hsa";
	case LAYER_GUEST:
		return "guest";
	case LAYER_COMMAND:
		return "wait";
	case LAYER_HOST:
		return "host";
	case LAYER_API:
		return "thunk";
	case LAYER_IOCTL:
		return "kernel";
	case LAYER_OS:
	case LAYER_COUNT:
		break;
	}
	return "system";
}

static struct chain_row *get_row(GPtrArray *rows, const struct call_type *type)
{
	struct chain_row *row;

	for (guint i = 0; i < rows->len; i++) {
		row = g_ptr_array_index(rows, i);
		if (row->type == type)
			return row;
	}
	row = g_new0(struct chain_row, 1);
	row->type = type;
	g_ptr_array_add(rows, row);
	return row;
}

/* Time below a call that was spent in the kernel; nested API calls lead on to theirs. */
static int64_t kernel_ns(const struct chain *chain)
{
	int64_t sum_ns = 0;

	for (const struct chain *child = chain->first_child; child; child = child->next)
		sum_ns += child->type->layer <= LAYER_API ? kernel_ns(child)
							  : child->latency.total_ns;
	return sum_ns;
}

static void add_chain(struct chains_report *report, struct chain_node *parent,
		      const struct chain *chain)
{
	struct chain_node *node =
		node_child(parent, chain->type->name, call_layer(chain->type), chain->type);
	struct chain_row *row = get_row(report->rows, chain->type);

	latency_merge(&node->latency, &chain->latency);
	latency_merge(&row->latency, &chain->latency);
	row->failed += chain->failed;
	row->cut += chain->cut;
	row->ioctl_ns += kernel_ns(chain);
	node->failed += chain->failed;
	node->cut += chain->cut;
	report->cut += chain->cut;
	for (const struct chain *child = chain->first_child; child; child = child->next)
		add_chain(report, node, child);
}

/*
 * The runtime functions of a stack, outermost first: of each run of frames in one runtime the
 * outermost, because that is the function by which the layer above entered it.
 */
static struct chain_node *add_frames(struct chain_node *root, const struct stackview *view,
				     const struct chain *chain)
{
	struct chain_node *node = root;
	enum module_role above = ROLE_APPLICATION;

	for (uint32_t i = view->count; i > 0; i--) {
		const struct sym_frame *frame = view->frames[i - 1];
		enum module_role role = view->roles[i - 1];
		const char *function = frame->levels[frame->level_count - 1].function;
		char *name;

		if (role != above && (role == ROLE_HIP || role == ROLE_HSA)) {
			name = function ? g_strdup(function)
					: g_strdup_printf("(in %s)", frame->module);
			node = node_child(node, name, module_role_name(role), NULL);
			latency_merge(&node->latency, &chain->latency);
			node->failed += chain->failed;
			node->cut += chain->cut;
			g_free(name);
		}
		above = role == ROLE_SYSTEM ? above : role;
	}
	return node;
}

static int compare_nodes(const void *left, const void *right)
{
	const struct chain_node *a = *(struct chain_node *const *)left;
	const struct chain_node *b = *(struct chain_node *const *)right;

	if (a->latency.total_ns != b->latency.total_ns)
		return a->latency.total_ns > b->latency.total_ns ? -1 : 1;
	return strcmp(a->name, b->name);
}

static int compare_rows(const void *left, const void *right)
{
	const struct chain_row *a = *(struct chain_row *const *)left;
	const struct chain_row *b = *(struct chain_row *const *)right;

	if (a->type->layer != b->type->layer)
		return a->type->layer < b->type->layer ? -1 : 1;
	if (a->latency.total_ns != b->latency.total_ns)
		return a->latency.total_ns > b->latency.total_ns ? -1 : 1;
	return strcmp(a->type->name, b->type->name);
}

static void sort_tree(struct chain_node *node)
{
	g_ptr_array_sort(node->children, compare_nodes);
	for (guint i = 0; i < node->children->len; i++)
		sort_tree(g_ptr_array_index(node->children, i));
}

struct chains_report *chains_report_new(const struct model *model, const struct chains *chains,
					const char *debug_dirs, uint32_t top)
{
	struct chains_report *report = g_new0(struct chains_report, 1);
	const GPtrArray *roots = chains_roots(chains);
	struct sym *sym = sym_new(debug_dirs);

	report->model = model;
	report->top = top;
	report->rows = g_ptr_array_new_with_free_func(row_free);
	report->tree = node_new("", "", NULL);
	for (guint i = 0; i < roots->len; i++) {
		const struct chain *chain = g_ptr_array_index(roots, i);
		struct stackview view;

		stackview_init(&view, sym, chain->process, chain->stack);
		add_chain(report, add_frames(report->tree, &view, chain), chain);
		stackview_fini(&view);
	}
	g_ptr_array_sort(report->rows, compare_rows);
	sort_tree(report->tree);
	sym_free(sym);
	return report;
}

void chains_report_free(struct chains_report *report)
{
	if (!report)
		return;
	g_ptr_array_free(report->rows, TRUE);
	node_free(report->tree);
	g_free(report);
}
