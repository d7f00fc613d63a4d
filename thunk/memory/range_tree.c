/* SPDX-License-Identifier: MIT */
/*
 * The balanced tree of ranges: AVL with parent links, augmented with the highest end of each
 * subtree.
 */
#include "memory/range_tree.h"

#include <stddef.h>

static int height(const struct range_node *node)
{
	return node ? node->height : 0;
}

/* Recomputes what a node knows about its subtree. */
static void refresh(struct range_node *node)
{
	int left = height(node->left), right = height(node->right);
	uint64_t end = range_node_end(node);

	if (node->left && node->left->max_end > end)
		end = node->left->max_end;
	if (node->right && node->right->max_end > end)
		end = node->right->max_end;
	node->max_end = end;
	node->height = (left > right ? left : right) + 1;
}

/* Puts a node (or NULL) where another one hung below parent. */
static void replace_child(struct range_tree *tree, struct range_node *parent,
			  const struct range_node *old, struct range_node *node)
{
	if (!parent)
		tree->root = node;
	else if (parent->left == old)
		parent->left = node;
	else
		parent->right = node;
	if (node)
		node->parent = parent;
}

static struct range_node *rotate_left(struct range_tree *tree, struct range_node *node)
{
	struct range_node *up = node->right;

	replace_child(tree, node->parent, node, up);
	node->right = up->left;
	if (node->right)
		node->right->parent = node;
	up->left = node;
	node->parent = up;
	refresh(node);
	refresh(up);
	return up;
}

static struct range_node *rotate_right(struct range_tree *tree, struct range_node *node)
{
	struct range_node *up = node->left;

	replace_child(tree, node->parent, node, up);
	node->left = up->right;
	if (node->left)
		node->left->parent = node;
	up->right = node;
	node->parent = up;
	refresh(node);
	refresh(up);
	return up;
}

/* Restores balance and knowledge from a changed node up to the root. */
static void retrace(struct range_tree *tree, struct range_node *node)
{
	while (node) {
		int balance = height(node->left) - height(node->right);

		if (balance > 1) {
			if (height(node->left->left) < height(node->left->right))
				rotate_left(tree, node->left);
			node = rotate_right(tree, node);
		} else if (balance < -1) {
			if (height(node->right->right) < height(node->right->left))
				rotate_right(tree, node->right);
			node = rotate_left(tree, node);
		} else {
			refresh(node);
		}
		node = node->parent;
	}
}

static bool key_below(const struct range_node *node, uint64_t start, uint64_t size_bytes)
{
	return node->start < start || (node->start == start && node->size_bytes < size_bytes);
}

void range_tree_insert(struct range_tree *tree, struct range_node *node)
{
	struct range_node *parent = NULL, **link = &tree->root;

	while (*link) {
		parent = *link;
		link = key_below(node, parent->start, parent->size_bytes) ? &parent->left
									  : &parent->right;
	}
	*link = node;
	node->parent = parent;
	node->left = node->right = NULL;
	retrace(tree, node);
}

void range_tree_remove(struct range_tree *tree, struct range_node *node)
{
	struct range_node *changed, *next;

	if (!node->left || !node->right) {
		changed = node->parent;
		replace_child(tree, changed, node, node->left ? node->left : node->right);
	} else {
		for (next = node->right; next->left; next = next->left)
			;
		changed = next->parent == node ? next : next->parent;
		if (next->parent != node) {
			replace_child(tree, next->parent, next, next->right);
			next->right = node->right;
			next->right->parent = next;
		}
		next->left = node->left;
		next->left->parent = next;
		replace_child(tree, node->parent, node, next);
	}
	node->left = node->right = node->parent = NULL;
	retrace(tree, changed);
}

/* Of a subtree whose nodes all start at or before the address, the last one that holds it. */
static struct range_node *last_holder(struct range_node *node, uint64_t address)
{
	for (;;) {
		if (node->right && node->right->max_end > address)
			node = node->right;
		else if (range_node_end(node) > address)
			return node;
		else
			node = node->left;
	}
}

struct range_node *range_tree_find(const struct range_tree *tree, uint64_t address)
{
	struct range_node *node = tree->root, *best = NULL;

	/*
	 * Down the border between starts at or before and after the address. Each node on the near
	 * side answers for itself and for its left subtree, and deeper ones have greater keys.
	 */
	while (node && node->max_end > address) {
		if (node->start > address) {
			node = node->left;
			continue;
		}
		if (range_node_end(node) > address || (node->left && node->left->max_end > address))
			best = node;
		node = node->right;
	}
	if (!best || range_node_end(best) > address)
		return best;
	return last_holder(best->left, address);
}

struct range_node *range_tree_find_disjoint(const struct range_tree *tree, uint64_t address)
{
	struct range_node *node = tree->root;

	while (node && !range_node_holds(node, address))
		node = node->start > address ? node->left : node->right;
	return node;
}

struct range_node *range_tree_lower_bound(const struct range_tree *tree, uint64_t start,
					  uint64_t size_bytes)
{
	struct range_node *node = tree->root, *best = NULL;

	while (node) {
		if (key_below(node, start, size_bytes)) {
			node = node->right;
		} else {
			best = node;
			node = node->left;
		}
	}
	return best;
}

struct range_node *range_tree_first_ending_after(const struct range_tree *tree, uint64_t address)
{
	struct range_node *node = tree->root;

	while (node && node->max_end > address) {
		if (node->left && node->left->max_end > address)
			node = node->left;
		else if (range_node_end(node) > address)
			return node;
		else
			node = node->right;
	}
	return NULL;
}

struct range_node *range_tree_first(const struct range_tree *tree)
{
	struct range_node *node = tree->root;

	while (node && node->left)
		node = node->left;
	return node;
}

struct range_node *range_tree_next(const struct range_node *node)
{
	if (node->right) {
		struct range_node *next = node->right;

		while (next->left)
			next = next->left;
		return next;
	}
	while (node->parent && node->parent->right == node)
		node = node->parent;
	return node->parent;
}

struct range_node *range_tree_previous(const struct range_node *node)
{
	if (node->left) {
		struct range_node *previous = node->left;

		while (previous->right)
			previous = previous->right;
		return previous;
	}
	while (node->parent && node->parent->left == node)
		node = node->parent;
	return node->parent;
}
