/* SPDX-License-Identifier: MIT */
/* Watchers and writers of each report, brought into one shape (documents.h). */
#include "output/documents.h"

#include "output/failures_report.h"

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
