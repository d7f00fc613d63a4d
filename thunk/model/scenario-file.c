/* SPDX-License-Identifier: MIT */
/*
 * Reads a scenario file. Everything in it is checked, unknown keys too: a test that believes in a
 * misspelt rule would pass for the wrong reason.
 */
#include "scenario-internal.h"

#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hsakmt/linux/kfd_ioctl.h"
#include "ioctl.h"
#include "model.h"
#include "smi.h"
#include "topology.h"

#define DEFAULT_CLOCK_HZ 100000000ull
#define ERRNO_MAX        4095 /* of any system call */
#define MINOR_MAX        UINT16_MAX
#define TIME_MS_MAX      (1000ull * 365 * 24 * 3600 * 1000) /* in ns it still fits 64 bits */

struct reader {
	const char *path;                          /* borrowed, for messages */
	struct kfd_model_scenario *scenario;       /* borrowed */
	const struct kfd_model_topology *topology; /* borrowed */
};

struct errno_name {
	const char *name;
	int value;
};

/* clang-format off */
static const struct errno_name errno_names[] = {
	{ "EPERM", EPERM }, { "ENOENT", ENOENT }, { "ESRCH", ESRCH }, { "EINTR", EINTR },
	{ "EIO", EIO }, { "ENXIO", ENXIO }, { "E2BIG", E2BIG }, { "EBADF", EBADF },
	{ "EAGAIN", EAGAIN }, { "ENOMEM", ENOMEM }, { "EACCES", EACCES }, { "EFAULT", EFAULT },
	{ "EBUSY", EBUSY }, { "EEXIST", EEXIST }, { "ENODEV", ENODEV }, { "EINVAL", EINVAL },
	{ "ENFILE", ENFILE }, { "EMFILE", EMFILE }, { "ENOTTY", ENOTTY }, { "ENOSPC", ENOSPC },
	{ "EROFS", EROFS }, { "ERANGE", ERANGE }, { "ENOSYS", ENOSYS }, { "ENODATA", ENODATA },
	{ "ETIME", ETIME }, { "EOPNOTSUPP", EOPNOTSUPP }, { "EADDRINUSE", EADDRINUSE },
	{ "EALREADY", EALREADY }, { "ETIMEDOUT", ETIMEDOUT }, { "ECANCELED", ECANCELED },
	{ "ENOTSUPP", 524 },
};

#define DEED_KEYS_MAX 7

/* What an action is called, which keys it must have, and which it may have, beside when it is. */
static const struct {
	const char *name, *needs[DEED_KEYS_MAX], *takes[DEED_KEYS_MAX];
} deeds[SCENARIO_DEED_COUNT] = {
	[SCENARIO_MEMORY_EXCEPTION] = { "memory_exception", { "node" },
		{ "address", "not_present", "read_only", "no_execute", "error_type" } },
	[SCENARIO_HW_EXCEPTION]     = { "hw_exception", { "node" },
		{ "reset_type", "cause", "memory_lost" } },
	[SCENARIO_SMI]              = { "smi", { "node", "text" }, { NULL } },
	[SCENARIO_OUTSIDE]          = { "outside", { "node", "bytes" }, { NULL } },
	[SCENARIO_BOOTTIME_JUMP]    = { "boottime_jump", { "ns" }, { NULL } },
};
/* clang-format on */

static bool has_key(const char *const *keys, const char *key)
{
	while (*keys && strcmp(*keys, key) != 0)
		keys++;
	return *keys;
}

static bool known_keys(const struct reader *reader, const char *where, json_t *object,
		       const char *const *keys)
{
	const char *key;
	json_t *value;

	if (!json_is_object(object)) {
		kfd_model_log("scenario '%s': %s must be an object", reader->path, where);
		return false;
	}
	json_object_foreach(object, key, value)
	{
		if (!has_key(keys, key)) {
			kfd_model_log("scenario '%s': unknown key '%s' in %s", reader->path, key,
				      where);
			return false;
		}
	}
	return true;
}

/* A number, or text in any C base, because JSON has no hexadecimal. */
static bool is_u64(json_t *value, uint64_t *out)
{
	const char *text = json_string_value(value);
	char *end;

	if (json_is_integer(value) && json_integer_value(value) >= 0) {
		*out = (uint64_t)json_integer_value(value);
		return true;
	}
	if (!text || !isdigit((unsigned char)*text)) /* strtoull() takes a sign behind spaces */
		return false;
	errno = 0;
	*out = strtoull(text, &end, 0);
	return !*end && !errno;
}

static bool get_limited(const struct reader *reader, json_t *object, const char *key, uint64_t min,
			uint64_t max, uint64_t *out)
{
	json_t *value = json_object_get(object, key);
	uint64_t number;

	if (!value)
		return true;
	if (!is_u64(value, &number)) {
		kfd_model_log("scenario '%s': '%s' must be a number, not negative", reader->path,
			      key);
		return false;
	}
	if (number < min || number > max) {
		kfd_model_log("scenario '%s': '%s' must be from %llu to %llu", reader->path, key,
			      (unsigned long long)min, (unsigned long long)max);
		return false;
	}
	*out = number;
	return true;
}

static bool get_u64(const struct reader *reader, json_t *object, const char *key, uint64_t *out)
{
	return get_limited(reader, object, key, 0, UINT64_MAX, out);
}

static bool get_u32(const struct reader *reader, json_t *object, const char *key, uint64_t max,
		    uint32_t *out)
{
	uint64_t number = *out;

	if (!get_limited(reader, object, key, 0, max, &number))
		return false;
	*out = (uint32_t)number;
	return true;
}

static bool get_i64(const struct reader *reader, json_t *object, const char *key, int64_t *out)
{
	json_t *value = json_object_get(object, key);

	if (!value)
		return true;
	if (!json_is_integer(value)) {
		kfd_model_log("scenario '%s': '%s' must be a whole number", reader->path, key);
		return false;
	}
	*out = json_integer_value(value);
	return true;
}

static bool get_bool(const struct reader *reader, json_t *object, const char *key, bool *out)
{
	json_t *value = json_object_get(object, key);

	if (!value)
		return true;
	if (!json_is_boolean(value)) {
		kfd_model_log("scenario '%s': '%s' must be true or false", reader->path, key);
		return false;
	}
	*out = json_is_true(value);
	return true;
}

static bool get_errno(const struct reader *reader, json_t *object, int *out)
{
	json_t *value = json_object_get(object, "errno");
	const char *text = json_string_value(value);
	uint64_t number;

	if (!value)
		return true;
	for (size_t i = 0; text && i < sizeof(errno_names) / sizeof(errno_names[0]); i++) {
		if (strcmp(errno_names[i].name, text) == 0) {
			*out = errno_names[i].value;
			return true;
		}
	}
	if (is_u64(value, &number) && number > 0 && number <= ERRNO_MAX) {
		*out = (int)number;
		return true;
	}
	if (text)
		kfd_model_log("scenario '%s': unknown errno '%s'", reader->path, text);
	else
		kfd_model_log("scenario '%s': 'errno' must be a name, or a number from 1 to %d",
			      reader->path, ERRNO_MAX);
	return false;
}

static bool get_ioctl(const struct reader *reader, json_t *object, const char *key, uint32_t *nr)
{
	const char *name = json_string_value(json_object_get(object, key));
	int found = name ? kfd_model_ioctl_number(name) : -1;

	if (found < 0) {
		kfd_model_log("scenario '%s': '%s' is no KFD call: '%s'", reader->path, key,
			      name ? name : "?");
		return false;
	}
	*nr = (uint32_t)found;
	reader->scenario->ruled[found / 64] |= 1ull << (found % 64);
	return true;
}

/* The node, if there is one in the object. */
static bool get_node(const struct reader *reader, json_t *object, uint32_t *out)
{
	uint64_t index = UINT64_MAX;

	*out = KFD_MODEL_ANY_NODE;
	if (!json_object_get(object, "node"))
		return true;
	if (!get_u64(reader, object, "node", &index))
		return false;
	if (index >= reader->topology->node_count) {
		kfd_model_log("scenario '%s': 'node' must be below %u", reader->path,
			      reader->topology->node_count);
		return false;
	}
	*out = (uint32_t)index;
	return true;
}

/* The same, and it must be that of a GPU. */
static bool get_gpu(const struct reader *reader, const char *where, json_t *object, uint32_t *out)
{
	if (!get_node(reader, object, out))
		return false;
	if (*out == KFD_MODEL_ANY_NODE) {
		kfd_model_log("scenario '%s': %s needs 'node'", reader->path, where);
		return false;
	}
	if (!reader->topology->nodes[*out].gpu_id) {
		kfd_model_log("scenario '%s': 'node' %u has no GPU", reader->path, *out);
		return false;
	}
	return true;
}

static bool read_node(const struct reader *reader, json_t *object, void *item)
{
	static const char *const keys[] = { "node",
					    "vram_bytes",
					    "visible_vram_bytes",
					    "outside_bytes",
					    "clock_hz",
					    "clock_drift_ppb",
					    NULL };
	struct scenario_node *node;
	uint64_t outside = 0;
	uint32_t index = 0;

	(void)item;
	if (!known_keys(reader, "'nodes'", object, keys) ||
	    !get_gpu(reader, "an entry of 'nodes'", object, &index))
		return false;
	node = &reader->scenario->nodes[index];
	if (node->is_listed) {
		kfd_model_log("scenario '%s': 'nodes' has node %u twice", reader->path, index);
		return false;
	}
	node->is_listed = true;
	if (!get_u64(reader, object, "vram_bytes", &node->vram_bytes))
		return false;
	if (node->visible_bytes > node->vram_bytes)
		node->visible_bytes = node->vram_bytes;
	if (!get_limited(reader, object, "visible_vram_bytes", 0, node->vram_bytes,
			 &node->visible_bytes) ||
	    !get_u64(reader, object, "outside_bytes", &outside) ||
	    !get_u64(reader, object, "clock_hz", &node->clock_hz) ||
	    !get_i64(reader, object, "clock_drift_ppb", &node->clock_drift_ppb))
		return false;
	atomic_store(&node->outside_bytes, outside);
	if (node->clock_hz && node->clock_drift_ppb > -1000000000)
		return true;
	kfd_model_log("scenario '%s': the clock of node %u would stand still", reader->path, index);
	return false;
}

/* What a rule does must be said, or a test believes in a rule that does nothing. */
static bool get_effect(const struct reader *reader, const char *where, json_t *object, int *error,
		       uint64_t *delay_us)
{
	if (!get_errno(reader, object, error) ||
	    !get_limited(reader, object, "delay_us", 0, TIME_MS_MAX * 1000, delay_us))
		return false;
	if (json_object_get(object, "errno") || json_object_get(object, "delay_us"))
		return true;
	kfd_model_log("scenario '%s': an entry of %s needs 'errno' or 'delay_us'", reader->path,
		      where);
	return false;
}

static bool read_rule(const struct reader *reader, json_t *object, void *item)
{
	static const char *const keys[] = { "ioctl", "node",     "after", "times",
					    "errno", "delay_us", NULL };
	struct scenario_rule *rule = item;

	rule->times = UINT64_MAX / 2;
	return known_keys(reader, "'ioctls'", object, keys) &&
	       get_ioctl(reader, object, "ioctl", &rule->nr) &&
	       get_node(reader, object, &rule->node_index) &&
	       get_limited(reader, object, "after", 0, UINT64_MAX / 2, &rule->after) &&
	       get_limited(reader, object, "times", 1, UINT64_MAX / 2, &rule->times) &&
	       get_effect(reader, "'ioctls'", object, &rule->error, &rule->delay_us);
}

static bool read_open(const struct reader *reader, json_t *object, void *item)
{
	static const char *const keys[] = { "path", "errno", "times", "delay_us", NULL };
	struct scenario_open *open = item;
	const char *path = json_string_value(json_object_get(object, "path"));

	open->times = UINT64_MAX;
	if (!known_keys(reader, "'open'", object, keys) ||
	    !get_limited(reader, object, "times", 1, UINT64_MAX, &open->times) ||
	    !get_effect(reader, "'open'", object, &open->error, &open->delay_us))
		return false;
	if (!path || !*path) {
		kfd_model_log("scenario '%s': an entry of 'open' needs 'path'", reader->path);
		return false;
	}
	open->path = strdup(path);
	return open->path;
}

static bool read_trigger(const struct reader *reader, json_t *object,
			 struct scenario_action *action)
{
	bool on_call = json_object_get(object, "on");

	action->is_timed = json_object_get(object, "at_ms");
	action->calls = 1;
	if (action->is_timed == on_call) {
		kfd_model_log("scenario '%s': an action needs either 'at_ms' or 'on'",
			      reader->path);
		return false;
	}
	if (on_call)
		return get_ioctl(reader, object, "on", &action->on_nr) &&
		       get_limited(reader, object, "calls", 1, UINT64_MAX, &action->calls);
	if (json_object_get(object, "calls")) {
		kfd_model_log("scenario '%s': 'calls' goes with 'on'", reader->path);
		return false;
	}
	return get_limited(reader, object, "at_ms", 0, TIME_MS_MAX, &action->at_ms);
}

/* What is done, and whether the keys are those that belong to it. */
static bool read_deed(const struct reader *reader, json_t *object, struct scenario_action *action)
{
	static const char *const when[] = { "do", "at_ms", "on", "calls", NULL };
	const char *name = json_string_value(json_object_get(object, "do")), *key;
	json_t *value;
	int deed = 0;

	while (deed < SCENARIO_DEED_COUNT && (!name || strcmp(deeds[deed].name, name) != 0))
		deed++;
	if (deed == SCENARIO_DEED_COUNT) {
		kfd_model_log("scenario '%s': unknown action '%s'", reader->path,
			      name ? name : "?");
		return false;
	}
	action->deed = (enum scenario_deed)deed;
	json_object_foreach(object, key, value)
	{
		if (has_key(when, key) || has_key(deeds[deed].needs, key) ||
		    has_key(deeds[deed].takes, key))
			continue;
		kfd_model_log("scenario '%s': unknown key '%s' in an action '%s'", reader->path,
			      key, name);
		return false;
	}
	for (size_t i = 0; deeds[deed].needs[i]; i++) {
		if (json_object_get(object, deeds[deed].needs[i]))
			continue;
		kfd_model_log("scenario '%s': an action '%s' needs '%s'", reader->path, name,
			      deeds[deed].needs[i]);
		return false;
	}
	return true;
}

static bool get_fault(const struct reader *reader, json_t *object, struct scenario_action *action)
{
	if (!get_u64(reader, object, "address", &action->address) ||
	    !get_bool(reader, object, "read_only", &action->read_only) ||
	    !get_bool(reader, object, "no_execute", &action->no_execute))
		return false;
	action->not_present = !action->read_only && !action->no_execute;
	return get_bool(reader, object, "not_present", &action->not_present) &&
	       get_u32(reader, object, "error_type", KFD_MEM_ERR_GPU_HANG, &action->error_type);
}

/* A line as the driver writes it: the event in hexadecimal, a space, a body. */
static bool get_text(const struct reader *reader, json_t *object, struct scenario_action *action)
{
	const char *text = json_string_value(json_object_get(object, "text"));
	char *end = NULL;
	unsigned long event = text && isxdigit((unsigned char)*text) ? strtoul(text, &end, 16) : 0;

	if (!event || event > KFD_MODEL_SMI_EVENT_MAX || *end != ' ' || strchr(text, '\n')) {
		kfd_model_log("scenario '%s': 'text' must be an event from 1 to %x, a space, and "
			      "the rest of one line",
			      reader->path, KFD_MODEL_SMI_EVENT_MAX);
		return false;
	}
	if (strlen(text) >= KFD_SMI_EVENT_MSG_SIZE) {
		kfd_model_log("scenario '%s': 'text' must be shorter than %d bytes", reader->path,
			      KFD_SMI_EVENT_MSG_SIZE);
		return false;
	}
	action->text = strdup(text);
	return action->text;
}

static bool read_action(const struct reader *reader, json_t *object, void *item)
{
	struct scenario_action *action = item;

	if (!json_is_object(object)) {
		kfd_model_log("scenario '%s': an entry of 'actions' must be an object",
			      reader->path);
		return false;
	}
	if (!read_deed(reader, object, action) || !read_trigger(reader, object, action))
		return false;
	if (action->deed != SCENARIO_BOOTTIME_JUMP &&
	    !get_gpu(reader, "an action", object, &action->node_index))
		return false;
	switch (action->deed) {
	case SCENARIO_MEMORY_EXCEPTION:
		return get_fault(reader, object, action);
	case SCENARIO_HW_EXCEPTION:
		return get_bool(reader, object, "memory_lost", &action->memory_lost) &&
		       get_u32(reader, object, "cause", KFD_HW_EXCEPTION_ECC, &action->cause) &&
		       get_u32(reader, object, "reset_type", UINT32_MAX, &action->reset_type);
	case SCENARIO_SMI:
		return get_text(reader, object, action);
	case SCENARIO_OUTSIDE:
		return get_u64(reader, object, "bytes", &action->bytes);
	case SCENARIO_BOOTTIME_JUMP:
		return get_limited(reader, object, "ns", 0, INT64_MAX, &action->ns);
	case SCENARIO_DEED_COUNT:
		break;
	}
	return false;
}

/* Reads a list into a new array of items. */
static bool read_list(const struct reader *reader, json_t *root, const char *key, size_t item_size,
		      void **items, uint32_t *count,
		      bool (*read_item)(const struct reader *, json_t *, void *))
{
	json_t *list = json_object_get(root, key);
	size_t size = json_array_size(list);

	if (!list)
		return true;
	if (!json_is_array(list) || size > SCENARIO_ITEMS_MAX) {
		kfd_model_log("scenario '%s': '%s' must be a list of at most %d entries",
			      reader->path, key, SCENARIO_ITEMS_MAX);
		return false;
	}
	if (items) {
		*items = calloc(size ? size : 1, item_size);
		if (!*items)
			return false;
	}
	for (size_t i = 0; i < size; i++) {
		if (count) /* before it is read: what it owns is freed with the rest */
			*count = (uint32_t)i + 1;
		if (!read_item(reader, json_array_get(list, i),
			       items ? (char *)*items + i * item_size : NULL))
			return false;
	}
	return true;
}

static bool read_root(const struct reader *reader, json_t *root)
{
	static const char *const keys[] = { "kfd_minor",    "driver",  "reuse",
					    "system_bytes", "nodes",   "ioctls",
					    "open",         "actions", NULL };
	struct kfd_model_scenario *scenario = reader->scenario;
	const char *driver = json_string_value(json_object_get(root, "driver"));
	uint64_t minor = scenario->minor;

	if (!known_keys(reader, "the file", root, keys) ||
	    !get_limited(reader, root, "kfd_minor", 1, MINOR_MAX, &minor) ||
	    !get_bool(reader, root, "reuse", &scenario->reuse) ||
	    !get_u64(reader, root, "system_bytes", &scenario->system_bytes))
		return false;
	if (json_object_get(root, "driver") &&
	    (!driver || (strcmp(driver, "dkms") != 0 && strcmp(driver, "upstream") != 0))) {
		kfd_model_log("scenario '%s': 'driver' must be dkms or upstream", reader->path);
		return false;
	}
	if (driver)
		scenario->dkms = strcmp(driver, "dkms") == 0;
	scenario->minor = (uint32_t)minor;
	return read_list(reader, root, "nodes", 0, NULL, NULL, read_node) &&
	       read_list(reader, root, "ioctls", sizeof(struct scenario_rule),
			 (void **)&scenario->rules, &scenario->rule_count, read_rule) &&
	       read_list(reader, root, "open", sizeof(struct scenario_open),
			 (void **)&scenario->opens, &scenario->open_count, read_open) &&
	       read_list(reader, root, "actions", sizeof(struct scenario_action),
			 (void **)&scenario->actions, &scenario->action_count, read_action);
}

static struct kfd_model_scenario *scenario_default(const struct kfd_model_topology *topology)
{
	struct kfd_model_scenario *scenario = calloc(1, sizeof(*scenario));
	pthread_condattr_t attr;

	if (!scenario)
		return NULL;
	pthread_mutex_init(&scenario->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&scenario->stop, &attr);
	pthread_condattr_destroy(&attr);
	scenario->minor = KFD_MODEL_MINOR_DEFAULT;
	scenario->dkms = true;
	scenario->reuse = true;
	scenario->node_count = topology->node_count;
	scenario->nodes = calloc(topology->node_count, sizeof(*scenario->nodes));
	if (!scenario->nodes) {
		kfd_model_scenario_free(scenario);
		return NULL;
	}
	for (uint32_t i = 0; i < topology->node_count; i++) {
		scenario->nodes[i].vram_bytes = topology->nodes[i].vram_bytes;
		scenario->nodes[i].visible_bytes = topology->nodes[i].visible_vram_bytes;
		scenario->nodes[i].clock_hz = DEFAULT_CLOCK_HZ;
	}
	return scenario;
}

/* @return a new reference, or NULL after a message. */
static json_t *load_file(const char *path)
{
	FILE *file = fopen(path, "re");
	json_error_t error;
	json_t *root = NULL;

	if (!file) {
		kfd_model_log("cannot open scenario '%s': %s", path, strerror(errno));
		return NULL;
	}
	errno = 0;
	root = json_loadf(file, JSON_REJECT_DUPLICATES, &error);
	if (!root && ferror(file))
		kfd_model_log("cannot read scenario '%s': %s", path, strerror(errno));
	else if (!root)
		kfd_model_log("cannot read scenario '%s': line %d: %s", path, error.line,
			      error.text);
	fclose(file);
	return root;
}

int kfd_model_scenario_load(const char *path, const struct kfd_model_topology *topology,
			    struct kfd_model_scenario **out)
{
	struct reader reader = { .path = path, .topology = topology };
	json_t *root = NULL;
	int rc = -EINVAL;

	reader.scenario = scenario_default(topology);
	if (!reader.scenario)
		return -ENOMEM;
	if (!path) {
		*out = reader.scenario;
		return 0;
	}
	root = load_file(path);
	if (!root || !read_root(&reader, root))
		goto out;
	*out = reader.scenario;
	reader.scenario = NULL;
	rc = 0;
out:
	json_decref(root);
	kfd_model_scenario_free(reader.scenario);
	return rc;
}
