/* SPDX-License-Identifier: MIT */
/* Call paths and their costs (chains.h). */
#include "model/chains.h"

#include "model/op_cache.h"

struct chains {
	GHashTable *nodes;         /* set of struct chain, owned */
	GPtrArray *roots;          /* of borrowed struct chain */
	const struct model *model; /* borrowed */
};

static guint chain_hash(gconstpointer data)
{
	const struct chain *chain = data;

	return g_direct_hash(chain->stack) * 31u + g_direct_hash(chain->type) * 17u +
	       g_direct_hash(chain->parent) + g_direct_hash(chain->process) * 7u;
}

static gboolean chain_equal(gconstpointer left, gconstpointer right)
{
	const struct chain *a = left, *b = right;

	return a->stack == b->stack && a->type == b->type && a->parent == b->parent &&
	       a->process == b->process;
}

static void chain_free(void *data)
{
	struct chain *chain = data;

	latency_fini(&chain->latency);
	g_ptr_array_free(chain->children, TRUE);
	g_free(chain);
}

static struct chain *get_chain(struct chains *chains, struct chain *parent,
			       const struct process *process, const struct stack *stack,
			       const struct call_type *type)
{
	const struct chain key = {
		.process = process, .stack = stack, .type = type, .parent = parent
	};
	struct chain *chain = g_hash_table_lookup(chains->nodes, &key);

	if (chain)
		return chain;
	chain = g_new0(struct chain, 1);
	chain->process = process;
	chain->stack = stack;
	chain->type = type;
	chain->parent = parent;
	chain->children = g_ptr_array_new();
	g_hash_table_add(chains->nodes, chain);
	g_ptr_array_add(parent ? parent->children : chains->roots, chain);
	return chain;
}

/* The node of the innermost call of a thread: the open calls are its path. */
static struct chain *chain_of(struct chains *chains, const struct thread *thread)
{
	struct chain *chain = NULL;

	for (guint i = 0; i < thread->calls->len; i++) {
		const struct call *call = &g_array_index(thread->calls, struct call, i);

		chain = get_chain(chains, chain, thread->process, chain ? NULL : call->stack,
				  call->type);
	}
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
	chains->nodes = g_hash_table_new_full(chain_hash, chain_equal, chain_free, NULL);
	chains->roots = g_ptr_array_new();
	model_observe(model, &observer);
	return chains;
}

void chains_free(struct chains *chains)
{
	if (!chains)
		return;
	g_hash_table_destroy(chains->nodes);
	g_ptr_array_free(chains->roots, TRUE);
	g_free(chains);
}

const GPtrArray *chains_roots(const struct chains *chains)
{
	return chains->roots;
}
