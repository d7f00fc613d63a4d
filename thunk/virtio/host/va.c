/* SPDX-License-Identifier: MIT */
/* Best fit over two trees (va.h). */
#include "virtio/host/va.h"

#include <stddef.h>
#include <stdlib.h>

struct piece {
	struct range_node place; /* key: address, size */
	struct range_node order; /* key: size, address */
};

#define PIECE_OF(node, member) ((struct piece *)((char *)(node)-offsetof(struct piece, member)))

static void piece_insert(struct virtio_va *va, struct piece *piece, uint64_t address,
			 uint64_t size_bytes)
{
	piece->place.start = piece->order.size_bytes = address;
	piece->place.size_bytes = piece->order.start = size_bytes;
	range_tree_insert(&va->by_address, &piece->place);
	range_tree_insert(&va->by_size, &piece->order);
}

static void piece_remove(struct virtio_va *va, struct piece *piece)
{
	range_tree_remove(&va->by_address, &piece->place);
	range_tree_remove(&va->by_size, &piece->order);
}

bool virtio_va_init(struct virtio_va *va, uint64_t base, uint64_t size_bytes)
{
	struct piece *piece = calloc(1, sizeof(*piece));

	*va = (struct virtio_va){ .base = base, .size_bytes = size_bytes };
	if (!piece)
		return false;
	piece_insert(va, piece, base, size_bytes);
	return true;
}

void virtio_va_fini(struct virtio_va *va)
{
	struct range_node *node;

	while ((node = range_tree_first(&va->by_address))) {
		struct piece *piece = PIECE_OF(node, place);

		piece_remove(va, piece);
		free(piece);
	}
}

/* Takes [at, at + size) out of a free piece that holds it. @return false without memory. */
static bool piece_take(struct virtio_va *va, struct piece *piece, uint64_t at, uint64_t size_bytes)
{
	uint64_t start = piece->place.start, end = range_node_end(&piece->place);
	struct piece *rest = NULL;

	if (at > start && end > at + size_bytes) {
		rest = calloc(1, sizeof(*rest));
		if (!rest)
			return false;
	}
	piece_remove(va, piece);
	if (at > start) {
		piece_insert(va, piece, start, at - start);
		piece = rest;
	}
	if (end > at + size_bytes)
		piece_insert(va, piece, at + size_bytes, end - at - size_bytes);
	else if (at == start)
		free(piece);
	return true;
}

bool virtio_va_take(struct virtio_va *va, uint64_t address, uint64_t size_bytes)
{
	struct range_node *node = range_tree_find(&va->by_address, address);

	return node && size_bytes && size_bytes <= range_node_end(node) - address &&
	       piece_take(va, PIECE_OF(node, place), address, size_bytes);
}

uint64_t virtio_va_alloc(struct virtio_va *va, uint64_t size_bytes, uint64_t align_bytes)
{
	struct range_node *node;

	if (size_bytes == 0 || align_bytes == 0 || align_bytes & (align_bytes - 1))
		return 0;
	node = range_tree_lower_bound(&va->by_size, size_bytes, 0);
	for (; node; node = range_tree_next(node)) {
		struct piece *piece = PIECE_OF(node, order);
		uint64_t start = piece->place.start, end = range_node_end(&piece->place);
		uint64_t at = (start + align_bytes - 1) & ~(align_bytes - 1);

		if (at < start || at > end || end - at < size_bytes)
			continue;
		return piece_take(va, piece, at, size_bytes) ? at : 0;
	}
	return 0;
}

static struct range_node *last(const struct range_tree *tree)
{
	struct range_node *node = tree->root;

	while (node && node->right)
		node = node->right;
	return node;
}

void virtio_va_free(struct virtio_va *va, uint64_t address, uint64_t size_bytes)
{
	struct range_node *node = range_tree_first_ending_after(&va->by_address, address);
	struct range_node *before = node ? range_tree_previous(node) : last(&va->by_address);
	struct piece *piece = NULL;

	if (before && range_node_end(before) == address) {
		piece = PIECE_OF(before, place);
		piece_remove(va, piece);
		address = piece->place.start;
		size_bytes += piece->place.size_bytes;
	}
	if (node && address + size_bytes == node->start) {
		struct piece *after = PIECE_OF(node, place);

		piece_remove(va, after);
		size_bytes += after->place.size_bytes;
		if (piece)
			free(after);
		else
			piece = after;
	}
	if (!piece)
		piece = calloc(1, sizeof(*piece));
	if (piece) /* without memory the addresses are lost to the guest, and to nobody else */
		piece_insert(va, piece, address, size_bytes);
}

bool virtio_va_holds(const struct virtio_va *va, uint64_t address, uint64_t size_bytes)
{
	return address >= va->base && address - va->base < va->size_bytes &&
	       size_bytes <= va->size_bytes - (address - va->base);
}
