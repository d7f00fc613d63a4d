/* SPDX-License-Identifier: MIT */
/* The names of layers (layers.h). */
#include "layers.h"

#include <glib.h>
#include <string.h>

bool layers_parse(const char *text, unsigned int *layers, char **wrong)
{
	static const struct {
		const char *name;
		unsigned int layer;
	} names[] = {
		{ "hip", LAYERS_HIP }, { "hsa", LAYERS_HSA }, { "kmt", LAYERS_KMT },
		{ "kfd", LAYERS_KFD }, { "all", ~0u },
	};
	char **parts;

	*layers = text ? 0 : LAYERS_DEFAULT;
	*wrong = NULL;
	if (!text)
		return true;
	parts = g_strsplit(text, ",", -1);
	for (char **part = parts; *part && !*wrong; part++) {
		unsigned int layer = 0;

		for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
			if (strcmp(*part, names[i].name) == 0)
				layer = names[i].layer;
		}
		if (!layer)
			*wrong = g_strdup(*part);
		*layers |= layer;
	}
	g_strfreev(parts);
	if (*layers == 0 && !*wrong)
		*wrong = g_strdup("");
	return !*wrong;
}
