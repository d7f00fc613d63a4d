/* SPDX-License-Identifier: MIT */
/*
 * An ordered index of address ranges: an intrusive, height-balanced binary tree whose nodes also
 * know the highest end below them, so that "which range holds this address" stays O(log n) even when
 * ranges overlap (memory.md 4). No locks and no allocation of its own.
 */
#ifndef KFDSCOPE_THUNK_MEMORY_RANGE_TREE_H
#define KFDSCOPE_THUNK_MEMORY_RANGE_TREE_H

#include <stdbool.h>
#include <stdint.h>

/* 64 bytes, so that a step of a search costs one cache line. */
struct range_node {
	struct range_node *left, *right, *parent; /* borrowed; the tree's */
	uint64_t start, size_bytes; /* the key, set by the owner before the insertion */
	uint64_t max_end;           /* highest end of the subtree, exclusive */
	void *owner; /* borrowed; what the range belongs to, for the user of the tree */
	int height;
};

/* Zero-initialised is empty. */
struct range_tree {
	struct range_node *root;
};

/* Inserts a node by (start, size_bytes); equal keys are allowed. */
void range_tree_insert(struct range_tree *tree, struct range_node *node);
/* Removes a node that is in this tree. */
void range_tree_remove(struct range_tree *tree, struct range_node *node);

/* @return of the ranges that hold the address the one with the greatest key, or NULL. */
struct range_node *range_tree_find(const struct range_tree *tree, uint64_t address);
/*
 * The same for a tree whose ranges do not overlap: it looks at the nodes on the way only, where the
 * other one looks at their left neighbours too, each of which may cost a cache line.
 */
struct range_node *range_tree_find_disjoint(const struct range_tree *tree, uint64_t address);
/* @return the node with the smallest key that is not below (start, size_bytes), or NULL. */
struct range_node *range_tree_lower_bound(const struct range_tree *tree, uint64_t start,
					  uint64_t size_bytes);
/* @return the node with the smallest key that ends after the address, or NULL. */
struct range_node *range_tree_first_ending_after(const struct range_tree *tree, uint64_t address);
/* Ascending walk. @return the first, or the next node, or NULL. */
struct range_node *range_tree_first(const struct range_tree *tree);
struct range_node *range_tree_next(const struct range_node *node);
struct range_node *range_tree_previous(const struct range_node *node);

static inline uint64_t range_node_end(const struct range_node *node)
{
	return node->start + node->size_bytes;
}

static inline bool range_node_holds(const struct range_node *node, uint64_t address)
{
	return address - node->start < node->size_bytes;
}

#endif
