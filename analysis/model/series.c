/* SPDX-License-Identifier: MIT */
/* A number over time, with a limit on its points (series.h). */
#include "series.h"

void series_init(struct series *series, guint limit)
{
	*series = (struct series){ .limit = MAX(limit, 2) };
}

void series_fini(struct series *series)
{
	if (series->points)
		g_array_free(series->points, TRUE);
	series->points = NULL;
}

guint series_count(const struct series *series)
{
	return series->points ? series->points->len : 0;
}

const struct series_point *series_point(const struct series *series, guint index)
{
	return &g_array_index(series->points, struct series_point, index);
}

static struct series_point *point_at(const struct series *series, guint index)
{
	return &g_array_index(series->points, struct series_point, index);
}

static void merge(struct series_point *into, const struct series_point *next)
{
	if (next->peak > into->peak) {
		into->peak = next->peak;
		into->peak_ns = next->peak_ns;
	}
	into->last = next->last;
	into->last_ns = next->last_ns;
}

/* Doubles the grain until at most half of the points are left, so that this is done rarely. */
static void coarsen(struct series *series)
{
	const int64_t span =
		point_at(series, series->points->len - 1)->time_ns - point_at(series, 0)->time_ns;

	if (series->grain_ns == 0)
		series->grain_ns = MAX(span / series->limit, 1);
	while (series->points->len > series->limit / 2) {
		guint kept = 0;

		series->grain_ns *= 2;
		for (guint i = 1; i < series->points->len; i++) {
			const struct series_point *point = point_at(series, i);
			struct series_point *last = point_at(series, kept);

			if (point->time_ns - last->time_ns < series->grain_ns)
				merge(last, point);
			else
				*point_at(series, ++kept) = *point;
		}
		g_array_set_size(series->points, kept + 1);
	}
}

void series_set_limit(struct series *series, guint limit)
{
	GArray *points;

	limit = MAX(limit, 2);
	if (limit > series->limit)
		series->grain_ns = 0; /* what comes now is worth more points than what was */
	series->limit = limit;
	if (series_count(series) <= limit)
		return;
	coarsen(series);
	points = g_array_sized_new(FALSE, FALSE, sizeof(struct series_point), series->points->len);
	g_array_append_vals(points, series->points->data, series->points->len);
	g_array_free(series->points, TRUE);
	series->points = points;
}

void series_set(struct series *series, int64_t time_ns, uint64_t value)
{
	const struct series_point point = { time_ns, time_ns, time_ns, value, value };
	struct series_point *last;

	if (!series->points)
		series->points = g_array_new(FALSE, FALSE, sizeof(point));
	last = series->points->len ? point_at(series, series->points->len - 1) : NULL;
	if (last && (time_ns == last->time_ns || time_ns - last->time_ns < series->grain_ns)) {
		merge(last, &point);
		return;
	}
	g_array_append_val(series->points, point);
	if (series->points->len > series->limit)
		coarsen(series);
}
