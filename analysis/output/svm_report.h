/* SPDX-License-Identifier: MIT */
/* Page-fault-retry modes and attributes of shared memory for readers (model/svm.h). */
#ifndef KFDSCOPE_ANALYSIS_OUTPUT_SVM_REPORT_H
#define KFDSCOPE_ANALYSIS_OUTPUT_SVM_REPORT_H

#include "model/svm.h"
#include "output/document.h"

/* The report as a new JSON object, schema "kfdscope.svm". */
json_t *svm_json(const struct svm *svm, const struct document *document);
/* The same as text. */
void svm_text(GString *text, const json_t *json, const struct document *document);

#endif
