/* SPDX-License-Identifier: MIT */
/* The ordered index of ranges, against a list that is searched from end to end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "memory/range_tree.h"

#define COUNT 400
#define SPACE 4000

struct sample {
	struct range_node node[COUNT];
	bool in[COUNT];
	struct range_tree tree;
};

static bool below(const struct range_node *a, const struct range_node *b)
{
	return a->start < b->start || (a->start == b->start && a->size_bytes < b->size_bytes);
}

/* The answers of the list. */
static const struct range_node *list_find(const struct sample *s, uint64_t address)
{
	const struct range_node *best = NULL;

	for (int i = 0; i < COUNT; i++)
		if (s->in[i] && range_node_holds(&s->node[i], address) &&
		    (!best || below(best, &s->node[i])))
			best = &s->node[i];
	return best;
}

static const struct range_node *list_bound(const struct sample *s, uint64_t start, uint64_t size)
{
	const struct range_node key = { .start = start, .size_bytes = size }, *best = NULL;

	for (int i = 0; i < COUNT; i++)
		if (s->in[i] && !below(&s->node[i], &key) && (!best || below(&s->node[i], best)))
			best = &s->node[i];
	return best;
}

static const struct range_node *list_ending(const struct sample *s, uint64_t address)
{
	const struct range_node *best = NULL;

	for (int i = 0; i < COUNT; i++)
		if (s->in[i] && range_node_end(&s->node[i]) > address &&
		    (!best || below(&s->node[i], best)))
			best = &s->node[i];
	return best;
}

/* Equal keys may be answered one for the other. */
static void same_key(const struct range_node *a, const struct range_node *b)
{
	assert_int_equal(!a, !b);
	if (!a)
		return;
	assert_int_equal(a->start, b->start);
	assert_int_equal(a->size_bytes, b->size_bytes);
}

static int checked_height(const struct range_node *node, unsigned int *count)
{
	int left, right;

	if (!node)
		return 0;
	left = checked_height(node->left, count);
	right = checked_height(node->right, count);
	assert_true(left - right <= 1 && right - left <= 1);
	assert_true(!node->left || node->left->parent == node);
	assert_true(!node->right || node->right->parent == node);
	(*count)++;
	return (left > right ? left : right) + 1;
}

static void check(const struct sample *s)
{
	unsigned int in = 0, count = 0, walked = 0;
	const struct range_node *last = NULL;

	for (int i = 0; i < COUNT; i++)
		in += s->in[i];
	(void)checked_height(s->tree.root, &count);
	assert_int_equal(count, in);
	for (struct range_node *node = range_tree_first(&s->tree); node;
	     node = range_tree_next(node)) {
		assert_true(!last || !below(node, last));
		assert_ptr_equal(range_tree_previous(node), last);
		last = node;
		walked++;
	}
	assert_int_equal(walked, in);
	for (int i = 0; i < 50; i++) {
		uint64_t at = (uint64_t)rand() % SPACE, size = (uint64_t)rand() % 40;

		same_key(range_tree_find(&s->tree, at), list_find(s, at));
		same_key(range_tree_lower_bound(&s->tree, at, size), list_bound(s, at, size));
		same_key(range_tree_first_ending_after(&s->tree, at), list_ending(s, at));
	}
}

static void churn(unsigned int seed, uint64_t largest)
{
	struct sample *s = calloc(1, sizeof(*s));

	assert_non_null(s);
	srand(seed);
	for (int step = 0; step < 4000; step++) {
		int i = rand() % COUNT;

		if (s->in[i]) {
			range_tree_remove(&s->tree, &s->node[i]);
		} else {
			s->node[i].start = (uint64_t)rand() % SPACE;
			s->node[i].size_bytes = 1 + (uint64_t)rand() % largest;
			range_tree_insert(&s->tree, &s->node[i]);
		}
		s->in[i] = !s->in[i];
		if (step % 40 == 0)
			check(s);
	}
	free(s);
}

static void short_ranges_are_found_as_in_a_list(void **state)
{
	(void)state;
	churn(1, 8);
}

static void overlapping_ranges_are_found_as_in_a_list(void **state)
{
	(void)state;
	churn(2, 900);
}

static void ascending_insertion_stays_balanced(void **state)
{
	struct range_node *node = calloc(1u << 14, sizeof(*node));
	struct range_tree tree = { 0 };
	unsigned int count = 0;

	(void)state;
	assert_non_null(node);
	for (unsigned int i = 0; i < 1u << 14; i++) {
		node[i].start = i * 16ull;
		node[i].size_bytes = 16;
		range_tree_insert(&tree, &node[i]);
	}
	assert_true(checked_height(tree.root, &count) <= 15);
	assert_int_equal(count, 1u << 14);
	assert_ptr_equal(range_tree_find(&tree, 16 * 777 + 15), &node[777]);
	assert_null(range_tree_find(&tree, 16ull << 14));
	free(node);
}

static void ranges_side_by_side_are_found_on_the_shorter_way_too(void **state)
{
	static struct range_node nodes[COUNT];
	struct range_tree tree = { 0 };

	(void)state;
	for (uint64_t i = 0; i < COUNT; i++) {
		nodes[i].start = i * 10; /* 7 bytes, then 3 that are nobody's */
		nodes[i].size_bytes = 7;
		range_tree_insert(&tree, &nodes[i]);
	}
	for (uint64_t address = 0; address < COUNT * 10 + 5; address++)
		assert_ptr_equal(range_tree_find_disjoint(&tree, address),
				 address % 10 < 7 && address < COUNT * 10 ? &nodes[address / 10]
									  : NULL);
}

static void an_empty_tree_has_no_answers(void **state)
{
	struct range_tree tree = { 0 };

	(void)state;
	assert_null(range_tree_find(&tree, 0));
	assert_null(range_tree_lower_bound(&tree, 0, 0));
	assert_null(range_tree_first(&tree));
	assert_null(range_tree_first_ending_after(&tree, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_tree_has_no_answers),
		cmocka_unit_test(ranges_side_by_side_are_found_on_the_shorter_way_too),
		cmocka_unit_test(short_ranges_are_found_as_in_a_list),
		cmocka_unit_test(overlapping_ranges_are_found_as_in_a_list),
		cmocka_unit_test(ascending_insertion_stays_balanced),
	};

	return cmocka_run_group_tests_name("thunk/memory/range_tree", tests, NULL, NULL);
}
