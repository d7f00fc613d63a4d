/* SPDX-License-Identifier: MIT */
/* Watchers and writers of each report, brought into one shape (documents.h). */
#include "output/documents.h"

#include "output/failures_report.h"
#include "output/clocks_report.h"
#include "output/svm_report.h"
#include "output/faults_report.h"
#include "output/counters_report.h"
#include "output/queues_report.h"
#include "output/waits_report.h"
#include "output/latency_report.h"
#include "output/startup_report.h"

static void *watch_failures(struct model *model)
{
	return failures_new(model);
}

static void unwatch_failures(void *watcher)
{
	failures_free(watcher);
}

static json_t *json_of_failures(const void *watcher, const struct document *document)
{
	return failures_json(watcher, document);
}

const struct document_kind document_failures = {
	.watch = watch_failures,
	.unwatch = unwatch_failures,
	.json = json_of_failures,
	.text = failures_text,
};

static void *watch_waits(struct model *model)
{
	return waits_new(model);
}

static void unwatch_waits(void *watcher)
{
	waits_free(watcher);
}

static json_t *json_of_waits(const void *watcher, const struct document *document)
{
	return waits_json(watcher, document);
}

const struct document_kind document_waits = {
	.watch = watch_waits,
	.unwatch = unwatch_waits,
	.json = json_of_waits,
	.text = waits_text,
};

static void *watch_queues(struct model *model)
{
	return queues_new(model);
}

static void unwatch_queues(void *watcher)
{
	queues_free(watcher);
}

static json_t *json_of_queues(const void *watcher, const struct document *document)
{
	return queues_json(watcher, document);
}

const struct document_kind document_queues = {
	.watch = watch_queues,
	.unwatch = unwatch_queues,
	.json = json_of_queues,
	.text = queues_text,
};

static void *watch_counters(struct model *model)
{
	return counters_new(model);
}

static void unwatch_counters(void *watcher)
{
	counters_free(watcher);
}

static json_t *json_of_counters(const void *watcher, const struct document *document)
{
	return counters_json(watcher, document);
}

const struct document_kind document_counters = {
	.watch = watch_counters,
	.unwatch = unwatch_counters,
	.json = json_of_counters,
	.text = counters_text,
};

static void *watch_faults(struct model *model)
{
	return faults_new(model);
}

static void unwatch_faults(void *watcher)
{
	faults_free(watcher);
}

static json_t *json_of_faults(const void *watcher, const struct document *document)
{
	return faults_json(watcher, document);
}

const struct document_kind document_faults = {
	.watch = watch_faults,
	.unwatch = unwatch_faults,
	.json = json_of_faults,
	.text = faults_text,
};

static void *watch_svm(struct model *model)
{
	return svm_new(model);
}

static void unwatch_svm(void *watcher)
{
	svm_free(watcher);
}

static json_t *json_of_svm(const void *watcher, const struct document *document)
{
	return svm_json(watcher, document);
}

const struct document_kind document_svm = {
	.watch = watch_svm,
	.unwatch = unwatch_svm,
	.json = json_of_svm,
	.text = svm_text,
};

static void *watch_clocks(struct model *model)
{
	return clocks_new(model);
}

static void unwatch_clocks(void *watcher)
{
	clocks_free(watcher);
}

static json_t *json_of_clocks(const void *watcher, const struct document *document)
{
	return clocks_json(watcher, document);
}

const struct document_kind document_clocks = {
	.watch = watch_clocks,
	.unwatch = unwatch_clocks,
	.json = json_of_clocks,
	.text = clocks_text,
};

static void *watch_costs(struct model *model)
{
	return costs_new(model);
}

static void unwatch_costs(void *watcher)
{
	costs_free(watcher);
}

static json_t *json_of_costs(const void *watcher, const struct document *document)
{
	return latency_json(watcher, document);
}

const struct document_kind document_latency = {
	.watch = watch_costs,
	.unwatch = unwatch_costs,
	.json = json_of_costs,
	.text = latency_text,
};

static void *watch_startups(struct model *model)
{
	return startups_new(model);
}

static void unwatch_startups(void *watcher)
{
	startups_free(watcher);
}

static json_t *json_of_startups(const void *watcher, const struct document *document)
{
	return startup_json(watcher, document);
}

const struct document_kind document_startup = {
	.watch = watch_startups,
	.unwatch = unwatch_startups,
	.json = json_of_startups,
	.text = startup_text,
};
