/* SPDX-License-Identifier: MIT */
/* Memory access faults for readers (model/faults.h). */
#ifndef KFDSCOPE_ANALYSIS_OUTPUT_FAULTS_REPORT_H
#define KFDSCOPE_ANALYSIS_OUTPUT_FAULTS_REPORT_H

#include "model/faults.h"
#include "output/document.h"

/* The report as a new JSON object, schema "kfdscope.faults". */
json_t *faults_json(const struct faults *faults, const struct document *document);
/* The same as text. */
void faults_text(GString *text, const json_t *json, const struct document *document);

#endif
