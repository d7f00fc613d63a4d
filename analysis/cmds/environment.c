/* SPDX-License-Identifier: MIT */
/* Puts our objects in front of a program by its environment alone. */
#include "environment.h"

#include "checkup.h"
#include "layers.h"
#include "limits.h"

#include <dlfcn.h>
#include <glib.h>
#include <link.h>
#include <string.h>

/*
 * How long a program waits at its start for the session daemon. LTTng-UST's own 3 s are over before a busy
 * machine has made large buffers, and then the program runs ahead of its recording. One that cannot map
 * them would wait in vain.
 */
#define REGISTER_TIMEOUT    "LTTNG_UST_REGISTER_TIMEOUT"
#define REGISTER_TIMEOUT_MS "60000"

/* Sets a variable to two parts, of which one may be NULL or empty. */
static char **join(char **envp, const char *name, const char *first, const char *between,
		   const char *second)
{
	const bool both = first && *first && second && *second;
	char *joined = both ? g_strconcat(first, between, second, NULL)
			    : g_strdup(first && *first ? first : second);

	envp = g_environ_setenv(envp, name, joined, TRUE);
	g_free(joined);
	return envp;
}

/* Adds value in front of a variable that is a list. */
static char **prepend(char **envp, const char *name, const char *value)
{
	return join(envp, name, value, ":", g_environ_getenv(envp, name));
}

/* Adds it at the end; the runtime takes a list with blanks between. */
static char **append_word(char **envp, const char *name, const char *value)
{
	return join(envp, name, g_environ_getenv(envp, name), " ", value);
}

static bool must_exist(const char *path, char **reason)
{
	if (g_file_test(path, G_FILE_TEST_EXISTS))
		return true;
	*reason = g_strdup_printf("'%s' is missing: the installation is not complete", path);
	return false;
}

/* A name without a slash is one of the trees that we ship. */
static char *find_topology(const char *topology, const struct places *places, char **reason)
{
	char *path = strchr(topology, '/') ? g_canonicalize_filename(topology, NULL)
					   : g_build_filename(places->topologies, topology, NULL);
	char *nodes = g_build_filename(path, "nodes", NULL);

	if (!g_file_test(nodes, G_FILE_TEST_IS_DIR)) {
		*reason = g_strdup_printf("'%s' is no topology tree: it has no folder 'nodes' "
					  "(trees by name are in '%s')",
					  path, places->topologies);
		g_clear_pointer(&path, g_free);
	}
	g_free(nodes);
	return path;
}

/* A library that is there already is the one that the loader takes, whatever the search paths. */
static char **add_thunk(char **envp, const struct environment_options *options,
			const struct places *places)
{
	char *thunk = g_build_filename(places->thunk_dir, "libhsakmt.so.1", NULL);

	envp = prepend(envp, "LD_LIBRARY_PATH", places->thunk_dir);
	if (options->program && checkup_passes_thunk_by(places, options->program, envp))
		envp = prepend(envp, "LD_PRELOAD", thunk);
	g_free(thunk);
	return envp;
}

static char **add_model(char **envp, const struct environment_options *options,
			const struct places *places, const char *tree)
{
	if (options->front == MODEL_FRONT_PLUGIN) {
		envp = g_environ_setenv(envp, "HSA_MODEL_LIB", places->model, TRUE);
		envp = g_environ_setenv(envp, "HSA_MODEL_TOPOLOGY", tree, TRUE);
		/* Some programs look for the driver's module before they ask the runtime. */
		envp = g_environ_setenv(envp, "KFDSCOPE_PRELOAD_ONLY", "modules", TRUE);
	} else {
		envp = g_environ_unsetenv(envp, "HSA_MODEL_LIB");
		envp = g_environ_unsetenv(envp, "HSA_MODEL_TOPOLOGY");
		envp = g_environ_unsetenv(envp, "KFDSCOPE_PRELOAD_ONLY");
	}
	envp = g_environ_setenv(envp, "KFDSCOPE_MODEL_TOPOLOGY", tree, TRUE);
	return prepend(envp, "LD_PRELOAD", places->model_preload);
}

/*
 * The HSA runtime serves small requests out of pieces that it keeps. Only HIP's own events tell which
 * of them were given back; without those, each request has to reach the thunk.
 */
static char **without_pieces(char **envp, unsigned int layers)
{
	static const char name[] = "HSA_DISABLE_FRAGMENT_ALLOCATOR";

	if ((layers & LAYERS_HIP) || g_environ_getenv(envp, name))
		return envp;
	return g_environ_setenv(envp, name, "1", TRUE);
}

/* The objects that record layers. The last one that is put in front is the first one asked. */
static bool add_layers(char ***envp, const struct environment_options *options,
		       const struct places *places, char **reason)
{
	*envp = without_pieces(*envp, options->layers);
	if (options->layers & LAYERS_HSA) {
		if (!must_exist(places->hsa_layer, reason))
			return false;
		*envp = append_word(*envp, "HSA_TOOLS_LIB", places->hsa_layer);
	}
	if (options->system_thunk && (options->layers & LAYERS_KFD)) {
		if (!must_exist(places->preload, reason))
			return false;
		*envp = prepend(*envp, "LD_PRELOAD", places->preload);
	}
	if (options->layers & LAYERS_HIP) {
		if (!must_exist(places->hip_layer, reason))
			return false;
		*envp = prepend(*envp, "LD_PRELOAD", places->hip_layer);
	}
	return true;
}

/*
 * LTTng-UST's own guard of its descriptors, which a program may close that closes all: at the exit LTTng-UST
 * would end the program with an assertion. Asked of the loader, since ours is not built with it.
 * @return its path, for g_free(); NULL: there is none.
 */
static char *find_descriptor_guard(void)
{
	void *guard = dlopen("liblttng-ust-fd.so.1", RTLD_LAZY | RTLD_LOCAL);
	struct link_map *map = NULL;
	char *path = NULL;

	if (guard && dlinfo(guard, RTLD_DI_LINKMAP, &map) == 0)
		path = g_strdup(map->l_name);
	if (guard)
		dlclose(guard);
	return path;
}

static char **add_provider(char **envp, const struct places *places)
{
	char *guard = find_descriptor_guard();

	if (guard)
		envp = prepend(envp, "LD_PRELOAD", guard);
	g_free(guard);
	return prepend(envp, "LD_PRELOAD", places->provider);
}

/*
 * The AddressSanitizer ends a program that loads something before it: it stays first where it is preloaded,
 * and comes first where the program is linked with it.
 */
static char **sanitizer_first(char **envp, const char *program)
{
	char **words = g_strsplit_set(g_environ_getenv(envp, "LD_PRELOAD"), ": ", -1);
	GString *rest = g_string_new(NULL);
	char *first = NULL;

	for (char **word = words; *word; word++) {
		const char *slash = strrchr(*word, '/');

		if (!first && g_str_has_prefix(slash ? slash + 1 : *word, "libasan.so"))
			first = g_strdup(*word);
		else if (**word)
			g_string_append_printf(rest, "%s%s", rest->len ? ":" : "", *word);
	}
	if (!first && program)
		first = checkup_sanitizer(program, envp);
	if (first)
		envp = join(envp, "LD_PRELOAD", first, ":", rest->str);
	g_free(first);
	g_string_free(rest, TRUE);
	g_strfreev(words);
	return envp;
}

bool environment_make(const struct environment_options *options, const struct places *places,
		      char ***out, char **reason)
{
	char **envp = NULL, *tree = NULL;
	bool ok = must_exist(places->provider, reason);

	*out = NULL;
	if (ok && options->topology) {
		tree = find_topology(options->topology, places, reason);
		ok = tree && must_exist(places->model, reason) &&
		     must_exist(places->model_preload, reason);
	}
	if (!ok)
		goto out;
	envp = g_get_environ();
	if (!options->system_thunk)
		envp = add_thunk(envp, options, places);
	if (tree)
		envp = add_model(envp, options, places, tree);
	ok = add_layers(&envp, options, places, reason);
	if (!ok) {
		g_strfreev(envp);
		goto out;
	}
	envp = sanitizer_first(add_provider(envp, places), options->program);
	if (!g_environ_getenv(envp, REGISTER_TIMEOUT) && limits_allow_rings())
		envp = g_environ_setenv(envp, REGISTER_TIMEOUT, REGISTER_TIMEOUT_MS, TRUE);
	/* Without it LTTng-UST drops events whatever the channel says. */
	if (options->blocking)
		envp = g_environ_setenv(envp, "LTTNG_UST_ALLOW_BLOCKING", "1", TRUE);
	if (options->snapshot)
		envp = g_environ_setenv(envp, "KFDSCOPE_SNAPSHOT", options->snapshot, TRUE);
	if (options->stack_depth)
		envp = g_environ_setenv(envp, "KFDSCOPE_STACK_DEPTH", options->stack_depth, TRUE);
	if (options->stacks)
		envp = g_environ_setenv(envp, "KFDSCOPE_STACKS", options->stacks, TRUE);
	if (options->queue_hz)
		envp = g_environ_setenv(envp, "KFDSCOPE_QUEUE_HZ", options->queue_hz, TRUE);
	if (options->smi)
		envp = g_environ_setenv(envp, "KFDSCOPE_SMI", "1", TRUE);
	*out = envp;
out:
	g_free(tree);
	return ok;
}
