/* SPDX-License-Identifier: MIT */
/*
 * Watches memory over time: live bytes of each node and of each place that takes memory, what was
 * alive at the peak, and what became of the memory of each place: given back at once, held, growing.
 * Reserved addresses without memory behind them are counted apart. All but the added moments is of the
 * model's scope.
 */
#ifndef KFDSCOPE_ANALYSIS_MODEL_USAGES_H
#define KFDSCOPE_ANALYSIS_MODEL_USAGES_H

#include "model.h"
#include "series.h"

/* Moments of which the live bytes of each site are kept. */
#define USAGE_MOMENTS_MAX 2u

enum growth {
	GROWTH_RETURNED, /* nothing is left */
	GROWTH_ONCE,     /* taken once, or a few times at one moment near the end */
	GROWTH_FLAT,     /* filled up once and stayed */
	GROWTH_GROWING,
	GROWTH_COUNT,
};

/* What a site's memory did over time, beyond what struct site says. */
struct site_usage {
	const struct site *site; /* borrowed */
	struct series series;    /* live bytes, see usages_keep_series() */
	uint64_t peak_bytes;     /* of this site at the peak of the process */
	uint64_t peak_count;
	uint32_t peak_number;     /* of the peak that peak_bytes is of, see usages.c */
	uint64_t temporary_count; /* ended in the scope, before the process took anything else */
	uint64_t moment_bytes[USAGE_MOMENTS_MAX], moment_count[USAGE_MOMENTS_MAX];
	bool moment_set[USAGE_MOMENTS_MAX];
};

struct process_usage {
	const struct process *process; /* borrowed */
	/* See usages_keep_series(). */
	struct series nodes[G_N_ELEMENTS(((struct memory *)NULL)->node_usage)];
	struct series total, internal, registered;
	uint64_t node_bytes[G_N_ELEMENTS(((struct memory *)NULL)->node_usage)];
	uint64_t total_bytes;
	GPtrArray *sites;       /* of struct site_usage by site.index; NULL: not seen */
	struct pool site_pool;  /* what they are of */
	guint site_points;      /* in the series of all of them */
	guint site_points_next; /* so many are thinned out again */
	bool is_begun;          /* a change was seen in the scope, or after it */
	uint64_t peak_bytes;
	int64_t peak_ns;
	uint32_t peak_number;
	uint64_t last_id; /* of the block taken last */
};

struct usages;

/* Orders struct site_usage, by address: the highest peak in the scope first. */
int site_usage_compare(const void *left, const void *right);

struct usages *usages_new(struct model *model);
void usages_free(struct usages *usages);
/* Keeps levels over time, too; before anything is read. Without it, all series stay empty. */
void usages_keep_series(struct usages *usages);
/*
 * Keeps the live bytes at a moment, before anything is read. At most USAGE_MOMENTS_MAX.
 * @param time_ns  Unix time; negative: so long after the recording's first event.
 */
void usages_add_moment(struct usages *usages, int64_t time_ns);

/* The model is finished; call it before reading results. */
void usages_finish(struct usages *usages);

/* Results, of the finished model. NULL when the process took no memory. */
const struct process_usage *usages_process(const struct usages *usages,
					   const struct process *process);
/* Bytes and blocks of a site that were alive at the peak of its process. */
void site_usage_at_peak(const struct process_usage *process, const struct site_usage *site,
			uint64_t *bytes, uint64_t *count);
/* The same at one of the added moments, counted from 0. */
void site_usage_at_moment(const struct site_usage *site, uint32_t moment, uint64_t *bytes,
			  uint64_t *count);
/* How a site's memory went, seen from the end (or the close) of its process. */
enum growth site_growth(const struct site *site);
/* Bytes a second from the first block to the highest level; 0 without a span. */
uint64_t site_slope_bytes(const struct site *site);
const char *growth_name(enum growth growth);

#endif
