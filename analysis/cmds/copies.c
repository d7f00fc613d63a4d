/* SPDX-License-Identifier: MIT */
/* Several live recordings at a time (copies.h). */
#include "cmds/copies.h"

#include "input/live.h"

#define IDLE_US 50000

struct copies {
	GPtrArray *list; /* of struct live, one an input, owned; NULL: it is not an address */
	const char *const *inputs; /* borrowed */
};

static void live_free(void *data)
{
	live_close(data);
}

struct copies *copies_new(const char *const *inputs, size_t count, char **problem)
{
	struct copies *copies = g_new0(struct copies, 1);

	copies->inputs = inputs;
	copies->list = g_ptr_array_new_with_free_func(live_free);
	for (size_t i = 0; i < count; i++) {
		bool is_live = live_is_address(inputs[i]);
		struct live *live = is_live ? live_open(inputs[i], problem) : NULL;

		if (is_live && !live) {
			copies_free(copies);
			return NULL;
		}
		g_ptr_array_add(copies->list, live);
	}
	return copies;
}

void copies_run(struct copies *copies, const volatile sig_atomic_t *stop, GPtrArray *notes)
{
	bool *is_over = g_new0(bool, copies->list->len);
	bool is_idle = false, is_open = true;
	char *problem;

	while (is_open && !*stop) {
		if (is_idle)
			g_usleep(IDLE_US);
		is_idle = true;
		is_open = false;
		for (guint i = 0; i < copies->list->len && !*stop; i++) {
			struct live *live = g_ptr_array_index(copies->list, i);
			enum live_status status =
				!live || is_over[i] ? LIVE_END : live_copy(live, &problem);

			is_over[i] = status == LIVE_END || status == LIVE_BROKEN;
			is_open |= !is_over[i];
			is_idle &= status != LIVE_MORE;
			if (status == LIVE_BROKEN && *stop)
				g_free(problem); /* the signal broke it */
			else if (status == LIVE_BROKEN)
				g_ptr_array_add(notes, g_strdup_printf("'%s' broke off: %s",
								       copies->inputs[i], problem));
		}
	}
	g_free(is_over);
}

const char *copies_folder(const struct copies *copies, size_t input)
{
	const struct live *live = g_ptr_array_index(copies->list, input);

	return live ? live_folder(live) : NULL;
}

void copies_free(struct copies *copies)
{
	if (!copies)
		return;
	g_ptr_array_free(copies->list, TRUE);
	g_free(copies);
}
