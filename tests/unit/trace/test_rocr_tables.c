/* SPDX-License-Identifier: MIT */
/* How the tool of the HSA runtime treats tables of functions (trace/rocr/rocr.c). */
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "provider.h"

enum { CORE_SLOTS = 123, AMD_SLOTS = 48, HSA_INIT = 0, HSA_SHUT_DOWN = 1, HSA_MEMORY_COPY = 35 };

struct core {
	uint32_t major, size_bytes, step, reserved;
	void *functions[CORE_SLOTS];
};

struct amd {
	uint32_t major, size_bytes, step, reserved;
	void *functions[AMD_SLOTS];
};

struct api {
	uint32_t major, size_bytes, step, reserved;
	void *tables[4];
};

typedef bool (*on_load_function)(void *, uint64_t, uint64_t, const char *const *);

/* --- A provider that counts --- */

static int on = 1;
static const int *enabled[TRACE_EVENT_COUNT];
static void (*fire[TRACE_EVENT_COUNT])(const void *event);
static int fired;

static void count(const void *event)
{
	(void)event;
	fired++;
}

static const char *walker(void)
{
	return "none";
}

static int walk(uint64_t *frames, int capacity)
{
	(void)frames;
	(void)capacity;
	return 0;
}

static uint32_t stack_number(const uint64_t *frames, int count, bool is_truncated)
{
	(void)frames;
	(void)count;
	(void)is_truncated;
	return 0;
}

static uint32_t *device_depth(void)
{
	static __thread uint32_t depth;

	return &depth;
}

static void incident(enum trace_incident kind, const char *call, int32_t status)
{
	(void)kind;
	(void)call;
	(void)status;
}

static void attach(const struct trace_host *host)
{
	(void)host;
}

extern const struct trace_provider kfdscope_trace_provider;
__attribute__((visibility("default"))) const struct trace_provider kfdscope_trace_provider = {
	.version = TRACE_PROVIDER_VERSION,
	.event_count = TRACE_EVENT_COUNT,
	.schema_hash = TRACE_SCHEMA_HASH,
	.library = "test",
	.walker = walker,
	.enabled = (const int *const *)enabled,
	.fire = fire,
	.walk = walk,
	.stack_number = stack_number,
	.device_depth = device_depth,
	.incident = incident,
	.attach = attach,
};

/* --- The runtime --- */

static int calls;

static int real_function(void)
{
	calls++;
	return 0x1000; /* HSA_STATUS_ERROR */
}

struct fixture {
	struct api api;
	struct core core;
	struct amd amd;
	on_load_function on_load;
};

static int setup(void **state)
{
	static struct fixture fixture;
	void *layer;

	for (int i = 0; i < TRACE_EVENT_COUNT; i++) {
		enabled[i] = &on;
		fire[i] = count;
	}
	memset(&fixture, 0, sizeof(fixture));
	layer = dlopen(LAYER, RTLD_NOW | RTLD_LOCAL);
	if (!layer)
		return -1;
	fixture.on_load = (on_load_function)dlsym(layer, "OnLoad");
	fixture.api = (struct api){ 1, sizeof(struct api), 0, 0, { &fixture.core, &fixture.amd } };
	fixture.core.major = fixture.amd.major = 1;
	fixture.core.size_bytes = sizeof(fixture.core);
	fixture.amd.size_bytes = sizeof(fixture.amd);
	for (int i = 0; i < CORE_SLOTS; i++)
		fixture.core.functions[i] = (void *)real_function;
	for (int i = 0; i < AMD_SLOTS; i++)
		fixture.amd.functions[i] = (void *)real_function;
	fired = calls = 0;
	*state = &fixture;
	return fixture.on_load ? 0 : -1;
}

static int wrapped_core(const struct fixture *f)
{
	int wrapped = 0;

	for (int i = 0; i < CORE_SLOTS; i++)
		wrapped += f->core.functions[i] != (void *)real_function;
	return wrapped;
}

static int wrapped_amd(const struct fixture *f)
{
	int wrapped = 0;

	for (int i = 0; i < AMD_SLOTS; i++)
		wrapped += f->amd.functions[i] != (void *)real_function;
	return wrapped;
}

static void a_wrapped_function_calls_the_runtimes_between_two_events(void **state)
{
	struct fixture *f = *state;

	assert_true(f->on_load(&f->api, 1, 0, NULL));
	assert_true(f->core.functions[HSA_INIT] != (void *)real_function);
	assert_int_equal(((int (*)(void))f->core.functions[HSA_INIT])(), 0x1000);
	assert_int_equal(calls, 1);
	assert_int_equal(fired, 2);
	assert_true(wrapped_core(f) > 30);
	assert_true(wrapped_amd(f) > 30);
}

static void nothing_beyond_a_tables_size_is_touched(void **state)
{
	struct fixture *f = *state;

	/* One function, and half of the next one. */
	f->core.size_bytes = offsetof(struct core, functions) + 12;
	f->amd.size_bytes = offsetof(struct amd, functions);
	assert_true(f->on_load(&f->api, 1, 0, NULL));
	assert_int_equal(wrapped_core(f), 1);
	assert_true(f->core.functions[HSA_SHUT_DOWN] == (void *)real_function);
	assert_int_equal(wrapped_amd(f), 0);
}

static void a_runtime_with_fewer_tables_has_only_those(void **state)
{
	struct fixture *f = *state;

	f->api.size_bytes = offsetof(struct api, tables) + sizeof(void *);
	assert_true(f->on_load(&f->api, 1, 0, NULL));
	assert_true(wrapped_core(f) > 0);
	assert_int_equal(wrapped_amd(f), 0);
}

static void tables_of_an_unknown_version_are_left_alone(void **state)
{
	struct fixture *f = *state;

	f->core.major = 2;
	assert_true(f->on_load(&f->api, 1, 0, NULL));
	assert_int_equal(wrapped_core(f), 0);
	assert_true(wrapped_amd(f) > 0);
}

static void an_unknown_table_of_tables_is_left_alone(void **state)
{
	struct fixture *f = *state;

	f->api.major = 9;
	assert_true(f->on_load(&f->api, 1, 0, NULL));
	assert_true(f->on_load(NULL, 1, 0, NULL));
	assert_int_equal(wrapped_core(f) + wrapped_amd(f), 0);
}

static void a_table_that_comes_again_is_not_wrapped_twice(void **state)
{
	struct fixture *f = *state;

	assert_true(f->on_load(&f->api, 1, 0, NULL));
	assert_true(f->on_load(&f->api, 1, 0, NULL));
	((int (*)(void))f->core.functions[HSA_INIT])();
	assert_int_equal(calls, 1);
	assert_int_equal(fired, 2);
}

static void missing_functions_stay_missing(void **state)
{
	struct fixture *f = *state;

	f->core.functions[HSA_MEMORY_COPY] = NULL;
	assert_true(f->on_load(&f->api, 1, 0, NULL));
	assert_null(f->core.functions[HSA_MEMORY_COPY]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_wrapped_function_calls_the_runtimes_between_two_events,
				       setup),
		cmocka_unit_test_setup(nothing_beyond_a_tables_size_is_touched, setup),
		cmocka_unit_test_setup(a_runtime_with_fewer_tables_has_only_those, setup),
		cmocka_unit_test_setup(tables_of_an_unknown_version_are_left_alone, setup),
		cmocka_unit_test_setup(an_unknown_table_of_tables_is_left_alone, setup),
		cmocka_unit_test_setup(a_table_that_comes_again_is_not_wrapped_twice, setup),
		cmocka_unit_test_setup(missing_functions_stay_missing, setup),
	};

	return cmocka_run_group_tests_name("trace/rocr", tests, NULL, NULL);
}
