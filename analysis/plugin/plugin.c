/* SPDX-License-Identifier: MIT */
/* The babeltrace2 plugin `kfd`: the list of its component classes. */
#include <babeltrace2/babeltrace.h>

#include "plugin/allocs.h"
#include "plugin/chains.h"
#include "plugin/latency.h"
#include "plugin/leaks.h"
#include "plugin/perfetto.h"
#include "plugin/failures.h"
#include "plugin/waits.h"
#include "plugin/queues.h"
#include "plugin/startup.h"
#include "plugin/counters.h"
#include "plugin/faults.h"
#include "plugin/svm.h"
#include "plugin/clocks.h"
#include "plugin/sink.h"
#include "plugin/timeline.h"

#define PARAMS_HELP                                                                                \
	"Parameters: output=PATH, format=\"text\"|\"json\", top=N, begin-ns=NS, end-ns=NS,\n"      \
	"debug-dirs=DIR[:DIR...], runtime=true|false (leaks: list what runtimes keep for "         \
	"themselves).\n"                                                                           \
	"The time limits choose what is reported, not what is read."

BT_PLUGIN_MODULE();
BT_PLUGIN(kfd);
BT_PLUGIN_DESCRIPTION("Analyses of AMD KFD recordings made by kfdscope");
BT_PLUGIN_AUTHOR("The kfdscope authors");
BT_PLUGIN_LICENSE("MIT");

BT_PLUGIN_SINK_COMPONENT_CLASS(leaks, sink_consume);
BT_PLUGIN_SINK_COMPONENT_CLASS_DESCRIPTION(leaks,
					   "Memory that was not given back, and who took it");
BT_PLUGIN_SINK_COMPONENT_CLASS_HELP(leaks, PARAMS_HELP);
BT_PLUGIN_SINK_COMPONENT_CLASS_INITIALIZE_METHOD(leaks, leaks_initialize);
BT_PLUGIN_SINK_COMPONENT_CLASS_GRAPH_IS_CONFIGURED_METHOD(leaks, sink_graph_is_configured);
BT_PLUGIN_SINK_COMPONENT_CLASS_FINALIZE_METHOD(leaks, sink_finalize);

BT_PLUGIN_SINK_COMPONENT_CLASS(chains, sink_consume);
BT_PLUGIN_SINK_COMPONENT_CLASS_DESCRIPTION(
	chains, "What each call cost, from the runtime's functions down to the ioctls");
BT_PLUGIN_SINK_COMPONENT_CLASS_HELP(chains, PARAMS_HELP);
BT_PLUGIN_SINK_COMPONENT_CLASS_INITIALIZE_METHOD(chains, chains_initialize);
BT_PLUGIN_SINK_COMPONENT_CLASS_GRAPH_IS_CONFIGURED_METHOD(chains, sink_graph_is_configured);
BT_PLUGIN_SINK_COMPONENT_CLASS_FINALIZE_METHOD(chains, sink_finalize);

BT_PLUGIN_SINK_COMPONENT_CLASS(perfetto, sink_consume);
BT_PLUGIN_SINK_COMPONENT_CLASS_DESCRIPTION(perfetto, "A timeline for the Perfetto UI");
BT_PLUGIN_SINK_COMPONENT_CLASS_HELP(perfetto, PARAMS_HELP);
BT_PLUGIN_SINK_COMPONENT_CLASS_INITIALIZE_METHOD(perfetto, perfetto_initialize);
BT_PLUGIN_SINK_COMPONENT_CLASS_GRAPH_IS_CONFIGURED_METHOD(perfetto, sink_graph_is_configured);
BT_PLUGIN_SINK_COMPONENT_CLASS_FINALIZE_METHOD(perfetto, sink_finalize);

BT_PLUGIN_SINK_COMPONENT_CLASS(latency, sink_consume);
BT_PLUGIN_SINK_COMPONENT_CLASS_DESCRIPTION(
	latency, "What calls cost, by node, thread count, status and caller");
BT_PLUGIN_SINK_COMPONENT_CLASS_HELP(latency, PARAMS_HELP);
BT_PLUGIN_SINK_COMPONENT_CLASS_INITIALIZE_METHOD(latency, latency_initialize);
BT_PLUGIN_SINK_COMPONENT_CLASS_GRAPH_IS_CONFIGURED_METHOD(latency, sink_graph_is_configured);
BT_PLUGIN_SINK_COMPONENT_CLASS_FINALIZE_METHOD(latency, sink_finalize);

BT_PLUGIN_SINK_COMPONENT_CLASS(startup, sink_consume);
BT_PLUGIN_SINK_COMPONENT_CLASS_DESCRIPTION(
	startup, "How long programs took to start, by phase, by call and by node");
BT_PLUGIN_SINK_COMPONENT_CLASS_HELP(startup, PARAMS_HELP);
BT_PLUGIN_SINK_COMPONENT_CLASS_INITIALIZE_METHOD(startup, startup_initialize);
BT_PLUGIN_SINK_COMPONENT_CLASS_GRAPH_IS_CONFIGURED_METHOD(startup, sink_graph_is_configured);
BT_PLUGIN_SINK_COMPONENT_CLASS_FINALIZE_METHOD(startup, sink_finalize);

BT_PLUGIN_SINK_COMPONENT_CLASS(failures, sink_consume);
BT_PLUGIN_SINK_COMPONENT_CLASS_DESCRIPTION(
	failures, "Calls that failed: arguments, errno, the rule broken, what was alive");
BT_PLUGIN_SINK_COMPONENT_CLASS_HELP(failures, PARAMS_HELP);
BT_PLUGIN_SINK_COMPONENT_CLASS_INITIALIZE_METHOD(failures, failures_initialize);
BT_PLUGIN_SINK_COMPONENT_CLASS_GRAPH_IS_CONFIGURED_METHOD(failures, sink_graph_is_configured);
BT_PLUGIN_SINK_COMPONENT_CLASS_FINALIZE_METHOD(failures, sink_finalize);

BT_PLUGIN_SINK_COMPONENT_CLASS(waits, sink_consume);
BT_PLUGIN_SINK_COMPONENT_CLASS_DESCRIPTION(
	waits, "Waits: who waits on what since when, who signalled, spins, lost signals");
BT_PLUGIN_SINK_COMPONENT_CLASS_HELP(waits, PARAMS_HELP);
BT_PLUGIN_SINK_COMPONENT_CLASS_INITIALIZE_METHOD(waits, waits_initialize);
BT_PLUGIN_SINK_COMPONENT_CLASS_GRAPH_IS_CONFIGURED_METHOD(waits, sink_graph_is_configured);
BT_PLUGIN_SINK_COMPONENT_CLASS_FINALIZE_METHOD(waits, sink_finalize);

BT_PLUGIN_SINK_COMPONENT_CLASS(queues, sink_consume);
BT_PLUGIN_SINK_COMPONENT_CLASS_DESCRIPTION(
	queues, "Queues against hardware slots, never destroyed or refused ones");
BT_PLUGIN_SINK_COMPONENT_CLASS_HELP(queues, PARAMS_HELP);
BT_PLUGIN_SINK_COMPONENT_CLASS_INITIALIZE_METHOD(queues, queues_initialize);
BT_PLUGIN_SINK_COMPONENT_CLASS_GRAPH_IS_CONFIGURED_METHOD(queues, sink_graph_is_configured);
BT_PLUGIN_SINK_COMPONENT_CLASS_FINALIZE_METHOD(queues, sink_finalize);

BT_PLUGIN_SINK_COMPONENT_CLASS(counters, sink_consume);
BT_PLUGIN_SINK_COMPONENT_CLASS_DESCRIPTION(counters,
					   "Counter runs: values, who held them, refusals, losses");
BT_PLUGIN_SINK_COMPONENT_CLASS_HELP(counters, PARAMS_HELP);
BT_PLUGIN_SINK_COMPONENT_CLASS_INITIALIZE_METHOD(counters, counters_initialize);
BT_PLUGIN_SINK_COMPONENT_CLASS_GRAPH_IS_CONFIGURED_METHOD(counters, sink_graph_is_configured);
BT_PLUGIN_SINK_COMPONENT_CLASS_FINALIZE_METHOD(counters, sink_finalize);

BT_PLUGIN_SINK_COMPONENT_CLASS(allocs, sink_consume);
BT_PLUGIN_SINK_COMPONENT_CLASS_DESCRIPTION(
	allocs, "Every place that takes memory: churn, growth, peak, what is unbalanced");
BT_PLUGIN_SINK_COMPONENT_CLASS_HELP(allocs, PARAMS_HELP);
BT_PLUGIN_SINK_COMPONENT_CLASS_INITIALIZE_METHOD(allocs, allocs_initialize);
BT_PLUGIN_SINK_COMPONENT_CLASS_GRAPH_IS_CONFIGURED_METHOD(allocs, sink_graph_is_configured);
BT_PLUGIN_SINK_COMPONENT_CLASS_FINALIZE_METHOD(allocs, sink_finalize);

BT_PLUGIN_FILTER_COMPONENT_CLASS(timeline, timeline_iterator_next);
BT_PLUGIN_FILTER_COMPONENT_CLASS_DESCRIPTION(
	timeline,
	"A derived trace that viewers of LTTng-UST traces draw: memory, calls, queues, waits");
BT_PLUGIN_FILTER_COMPONENT_CLASS_HELP(timeline, "No parameters. Its sink is sink.ctf.fs.");
BT_PLUGIN_FILTER_COMPONENT_CLASS_INITIALIZE_METHOD(timeline, timeline_initialize);
BT_PLUGIN_FILTER_COMPONENT_CLASS_FINALIZE_METHOD(timeline, timeline_finalize);
BT_PLUGIN_FILTER_COMPONENT_CLASS_MESSAGE_ITERATOR_CLASS_INITIALIZE_METHOD(
	timeline, timeline_iterator_initialize);
BT_PLUGIN_FILTER_COMPONENT_CLASS_MESSAGE_ITERATOR_CLASS_FINALIZE_METHOD(timeline,
									timeline_iterator_finalize);

BT_PLUGIN_SINK_COMPONENT_CLASS(faults, sink_consume);
BT_PLUGIN_SINK_COMPONENT_CLASS_DESCRIPTION(
	faults, "Memory access faults: which block it was, freed or not");
BT_PLUGIN_SINK_COMPONENT_CLASS_HELP(faults, PARAMS_HELP);
BT_PLUGIN_SINK_COMPONENT_CLASS_INITIALIZE_METHOD(faults, faults_initialize);
BT_PLUGIN_SINK_COMPONENT_CLASS_GRAPH_IS_CONFIGURED_METHOD(faults, sink_graph_is_configured);
BT_PLUGIN_SINK_COMPONENT_CLASS_FINALIZE_METHOD(faults, sink_finalize);

BT_PLUGIN_SINK_COMPONENT_CLASS(svm, sink_consume);
BT_PLUGIN_SINK_COMPONENT_CLASS_DESCRIPTION(
	svm, "Shared memory: page-fault-retry modes, attributes by range");
BT_PLUGIN_SINK_COMPONENT_CLASS_HELP(svm, PARAMS_HELP);
BT_PLUGIN_SINK_COMPONENT_CLASS_INITIALIZE_METHOD(svm, svm_initialize);
BT_PLUGIN_SINK_COMPONENT_CLASS_GRAPH_IS_CONFIGURED_METHOD(svm, sink_graph_is_configured);
BT_PLUGIN_SINK_COMPONENT_CLASS_FINALIZE_METHOD(svm, sink_finalize);

BT_PLUGIN_SINK_COMPONENT_CLASS(clocks, sink_consume);
BT_PLUGIN_SINK_COMPONENT_CLASS_DESCRIPTION(
	clocks, "Clock readings: GPU frequency, conversion error, jumps");
BT_PLUGIN_SINK_COMPONENT_CLASS_HELP(clocks, PARAMS_HELP);
BT_PLUGIN_SINK_COMPONENT_CLASS_INITIALIZE_METHOD(clocks, clocks_initialize);
BT_PLUGIN_SINK_COMPONENT_CLASS_GRAPH_IS_CONFIGURED_METHOD(clocks, sink_graph_is_configured);
BT_PLUGIN_SINK_COMPONENT_CLASS_FINALIZE_METHOD(clocks, sink_finalize);
