/* SPDX-License-Identifier: MIT */
/* Call paths and their costs (chains.h). */
#include "model/chains.h"

#include "model/op_cache.h"

struct chains {
	struct pool pool;          /* of all nodes */
	GHashTable *outermost;     /* set of borrowed struct chain */
	GPtrArray *roots;          /* the same, in order of first appearance */
	struct chain *last;        /* borrowed: the root that was looked up last; NULL: none */
	const struct model *model; /* borrowed */
};

static guint chain_hash(gconstpointer data)
{
	const struct chain *chain = data;

	return g_direct_hash(chain->stack) * 31u + g_direct_hash(chain->type) * 17u +
	       g_direct_hash(chain->process) * 7u;
}

static gboolean chain_equal(gconstpointer left, gconstpointer right)
{
	const struct chain *a = left, *b = right;

	return a->stack == b->stack && a->type == b->type && a->process == b->process;
}

/* Gives back what the node and those below it hold beside themselves. */
static void chain_fini(struct chain *chain)
{
	for (struct chain *child = chain->first_child; child; child = child->next)
		chain_fini(child);
	latency_fini(&chain->latency);
}

static struct chain *chain_new(struct chains *chains, const struct process *process,
			       const struct stack *stack, const struct call_type *type)
{
	struct chain *chain = pool_take(&chains->pool, sizeof(*chain));

	chain->process = process;
	chain->stack = stack;
	chain->type = type;
	return chain;
}

/* The node of an outermost call. Its inner calls end just before it does, and ask for it, too. */
static struct chain *get_root(struct chains *chains, const struct process *process,
			      const struct call *call)
{
	const struct chain key = { .process = process, .stack = call->stack, .type = call->type };
	struct chain *root = chains->last;

	if (root && chain_equal(root, &key))
		return root;
	root = g_hash_table_lookup(chains->outermost, &key);
	if (!root) {
		root = chain_new(chains, process, call->stack, call->type);
		g_hash_table_add(chains->outermost, root);
		g_ptr_array_add(chains->roots, root);
	}
	chains->last = root;
	return root;
}

static struct chain *get_child(struct chains *chains, struct chain *parent,
			       const struct call_type *type)
{
	struct chain *child = parent->first_child;

	while (child && child->type != type)
		child = child->next;
	if (child)
		return child;
	child = chain_new(chains, parent->process, NULL, type);
	child->parent = parent;
	if (parent->last_child)
		parent->last_child->next = child;
	else
		parent->first_child = child;
	parent->last_child = child;
	return child;
}

/* The node of the innermost call of a thread: the open calls are its path. */
static struct chain *chain_of(struct chains *chains, const struct thread *thread)
{
	struct chain *chain =
		get_root(chains, thread->process, &g_array_index(thread->calls, struct call, 0));

	for (guint i = 1; i < thread->calls->len; i++)
		chain = get_child(chains, chain, g_array_index(thread->calls, struct call, i).type);
	return chain;
}

static bool has_failed(const struct call *call, const struct record *exit)
{
	uint64_t status = values_get(&exit->values, FIELD_STATUS, 0);
	enum { HIP_NOT_READY = 600, HSA_INFO_BREAK = 1 }; /* answers, not failures */

	if (call->type->layer == LAYER_HIP)
		return status != 0 && status != HIP_NOT_READY;
	if (call->type->layer == LAYER_HSA)
		return status != 0 && status != HSA_INFO_BREAK;
	if (call->type->layer == LAYER_API || call->type->layer == LAYER_GUEST)
		return status != 0;
	return (int64_t)values_get(&exit->values, FIELD_RET, 0) < 0;
}

/* Memory that a call took; an ioctl's is that of the library's call around it. */
static uint64_t taken_bytes(const struct call *call)
{
	if (call->type->op == OP_ALLOC || (call->type->op == OP_BO_ALLOC && !call_is_inner(call)))
		return values_get(&call->values, FIELD_SIZE, 0);
	return 0;
}

static bool is_wanted(const struct chains *chains, const struct call *call)
{
	return scope_counts(model_scope(chains->model), call->entry_ns);
}

static void call_ended(void *data, const struct call *call, int64_t time_ns,
		       const struct record *exit)
{
	int64_t duration_ns = time_ns - call->entry_ns;
	struct chain *chain;

	if (!is_wanted(data, call))
		return;
	chain = chain_of(data, call->thread);
	if (!exit) {
		chain->cut++;
		return;
	}
	if (has_failed(call, exit))
		chain->failed++;
	else
		chain->bytes += taken_bytes(call);
	latency_add(&chain->latency, duration_ns, duration_ns - call->inside_ns);
}

struct chains *chains_new(struct model *model)
{
	struct chains *chains = g_new0(struct chains, 1);
	const struct model_observer observer = { .data = chains, .call_ended = call_ended };

	chains->model = model;
	chains->outermost = g_hash_table_new(chain_hash, chain_equal);
	chains->roots = g_ptr_array_new();
	model_observe(model, &observer);
	return chains;
}

void chains_free(struct chains *chains)
{
	if (!chains)
		return;
	g_hash_table_destroy(chains->outermost);
	for (guint i = 0; i < chains->roots->len; i++)
		chain_fini(g_ptr_array_index(chains->roots, i));
	g_ptr_array_free(chains->roots, TRUE);
	pool_fini(&chains->pool);
	g_free(chains);
}

const GPtrArray *chains_roots(const struct chains *chains)
{
	return chains->roots;
}
