/* SPDX-License-Identifier: MIT */
/*
 * Reads a scenario file. Everything in it is checked, unknown keys too: a test that believes in a
 * misspelt rule would pass for the wrong reason.
 */
#include "scenario-internal.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "ioctl.h"
#include "model.h"
#include "topology.h"

#define DEFAULT_CLOCK_HZ 100000000ull

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

static const char *const deed_names[SCENARIO_DEED_COUNT] = {
	[SCENARIO_MEMORY_EXCEPTION] = "memory_exception",
	[SCENARIO_HW_EXCEPTION]     = "hw_exception",
	[SCENARIO_SMI]              = "smi",
	[SCENARIO_OUTSIDE]          = "outside",
	[SCENARIO_BOOTTIME_JUMP]    = "boottime_jump",
};
/* clang-format on */

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
		size_t i = 0;

		while (keys[i] && strcmp(keys[i], key) != 0)
			i++;
		if (!keys[i]) {
			kfd_model_log("scenario '%s': unknown key '%s' in %s", reader->path, key,
				      where);
			return false;
		}
	}
	return true;
}

/* A number, or text in any C base, because JSON has no hexadecimal. */
static bool get_u64(const struct reader *reader, json_t *object, const char *key, uint64_t *out)
{
	json_t *value = json_object_get(object, key);
	const char *text = json_string_value(value);
	char *end;

	if (!value)
		return true;
	if (json_is_integer(value) && json_integer_value(value) >= 0) {
		*out = (uint64_t)json_integer_value(value);
		return true;
	}
	if (text && *text && *text != '-') {
		*out = strtoull(text, &end, 0);
		if (!*end)
			return true;
	}
	kfd_model_log("scenario '%s': '%s' must be a number, not negative", reader->path, key);
	return false;
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

	if (!value)
		return true;
	if (json_is_integer(value) && json_integer_value(value) > 0 &&
	    json_integer_value(value) < 4096) {
		*out = (int)json_integer_value(value);
		return true;
	}
	for (size_t i = 0; text && i < sizeof(errno_names) / sizeof(errno_names[0]); i++) {
		if (strcmp(errno_names[i].name, text) == 0) {
			*out = errno_names[i].value;
			return true;
		}
	}
	kfd_model_log("scenario '%s': unknown errno '%s'", reader->path, text ? text : "?");
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

static bool get_node(const struct reader *reader, json_t *object, bool needed, uint32_t *out)
{
	uint64_t index = UINT64_MAX;

	if (!json_object_get(object, "node") && !needed) {
		*out = KFD_MODEL_ANY_NODE;
		return true;
	}
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
	if (!known_keys(reader, "'nodes'", object, keys) || !get_node(reader, object, true, &index))
		return false;
	node = &reader->scenario->nodes[index];
	if (!get_u64(reader, object, "vram_bytes", &node->vram_bytes))
		return false;
	if (node->visible_bytes > node->vram_bytes)
		node->visible_bytes = node->vram_bytes;
	if (!get_u64(reader, object, "visible_vram_bytes", &node->visible_bytes) ||
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

static bool read_rule(const struct reader *reader, json_t *object, void *item)
{
	static const char *const keys[] = { "ioctl", "node",     "after", "times",
					    "errno", "delay_us", NULL };
	struct scenario_rule *rule = item;

	rule->times = UINT64_MAX / 2;
	return known_keys(reader, "'ioctls'", object, keys) &&
	       get_ioctl(reader, object, "ioctl", &rule->nr) &&
	       get_node(reader, object, false, &rule->node_index) &&
	       get_u64(reader, object, "after", &rule->after) &&
	       get_u64(reader, object, "times", &rule->times) &&
	       get_u64(reader, object, "delay_us", &rule->delay_us) &&
	       get_errno(reader, object, &rule->error);
}

static bool read_open(const struct reader *reader, json_t *object, void *item)
{
	static const char *const keys[] = { "path", "errno", "times", "delay_us", NULL };
	struct scenario_open *open = item;
	const char *path = json_string_value(json_object_get(object, "path"));

	open->times = UINT64_MAX;
	if (!known_keys(reader, "'open'", object, keys) ||
	    !get_errno(reader, object, &open->error) ||
	    !get_u64(reader, object, "times", &open->times) ||
	    !get_u64(reader, object, "delay_us", &open->delay_us))
		return false;
	if (!path || (!open->error && !open->delay_us)) {
		kfd_model_log("scenario '%s': an entry of 'open' needs 'path', and 'errno' or "
			      "'delay_us'",
			      reader->path);
		return false;
	}
	open->path = strdup(path);
	return open->path;
}

static bool read_trigger(const struct reader *reader, json_t *object,
			 struct scenario_action *action)
{
	action->is_timed = json_object_get(object, "at_ms");
	action->calls = 1;
	if (action->is_timed)
		return get_u64(reader, object, "at_ms", &action->at_ms);
	return get_ioctl(reader, object, "on", &action->on_nr) &&
	       get_u64(reader, object, "calls", &action->calls);
}

static bool read_deed(const struct reader *reader, json_t *object, struct scenario_action *action)
{
	const char *name = json_string_value(json_object_get(object, "do"));
	int deed = 0;

	while (deed < SCENARIO_DEED_COUNT && (!name || strcmp(deed_names[deed], name) != 0))
		deed++;
	if (deed == SCENARIO_DEED_COUNT) {
		kfd_model_log("scenario '%s': unknown action '%s'", reader->path,
			      name ? name : "?");
		return false;
	}
	action->deed = (enum scenario_deed)deed;
	return true;
}

static bool read_action(const struct reader *reader, json_t *object, void *item)
{
	static const char *const keys[] = {
		"do",          "at_ms",      "on",    "calls",      "node",       "address",
		"bytes",       "ns",         "text",  "read_only",  "no_execute", "not_present",
		"memory_lost", "error_type", "cause", "reset_type", NULL
	};
	struct scenario_action *action = item;
	const char *text = json_string_value(json_object_get(object, "text"));
	uint64_t error_type = 0, cause = 0, reset_type = 0;

	if (!known_keys(reader, "'actions'", object, keys) || !read_deed(reader, object, action) ||
	    !read_trigger(reader, object, action) ||
	    !get_node(reader, object, action->deed != SCENARIO_BOOTTIME_JUMP,
		      &action->node_index) ||
	    !get_u64(reader, object, "address", &action->address) ||
	    !get_u64(reader, object, "bytes", &action->bytes) ||
	    !get_i64(reader, object, "ns", &action->ns) ||
	    !get_bool(reader, object, "read_only", &action->read_only) ||
	    !get_bool(reader, object, "no_execute", &action->no_execute))
		return false;
	action->not_present = !action->read_only && !action->no_execute;
	if (!get_bool(reader, object, "not_present", &action->not_present) ||
	    !get_bool(reader, object, "memory_lost", &action->memory_lost) ||
	    !get_u64(reader, object, "error_type", &error_type) ||
	    !get_u64(reader, object, "cause", &cause) ||
	    !get_u64(reader, object, "reset_type", &reset_type))
		return false;
	action->error_type = (uint32_t)error_type;
	action->cause = (uint32_t)cause;
	action->reset_type = (uint32_t)reset_type;
	if (action->deed != SCENARIO_SMI)
		return true;
	if (!text)
		kfd_model_log("scenario '%s': an 'smi' action needs 'text'", reader->path);
	action->text = text ? strdup(text) : NULL;
	return action->text;
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
	    !get_u64(reader, root, "kfd_minor", &minor) ||
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

int kfd_model_scenario_load(const char *path, const struct kfd_model_topology *topology,
			    struct kfd_model_scenario **out)
{
	struct reader reader = { .path = path, .topology = topology };
	json_error_t error;
	json_t *root = NULL;
	int rc = -EINVAL;

	reader.scenario = scenario_default(topology);
	if (!reader.scenario)
		return -ENOMEM;
	if (!path) {
		*out = reader.scenario;
		return 0;
	}
	root = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
	if (!root) {
		kfd_model_log("cannot read scenario '%s': line %d: %s", path, error.line,
			      error.text);
		goto out;
	}
	if (!read_root(&reader, root))
		goto out;
	*out = reader.scenario;
	reader.scenario = NULL;
	rc = 0;
out:
	json_decref(root);
	kfd_model_scenario_free(reader.scenario);
	return rc;
}
