/* SPDX-License-Identifier: MIT */
/* The reader of hand-written recordings (text_trace.h). */
#include "text_trace.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NUMBERS_MAX 64

/* The arguments of a line, for reports that want more than fields. */
struct text_args {
	struct args_reader reader;
	struct args *args; /* owned; NULL: the line has none */
};

struct reader {
	struct model *model;
	struct text_args args;
	const char *fixtures;
	GHashTable *modules; /* base name -> struct loaded */
	struct record record;
	uint64_t stack[NUMBERS_MAX], ids[NUMBERS_MAX], handles[NUMBERS_MAX];
	uint8_t build_id[MODULE_BUILD_ID_MAX];
	char *text, *path;
	char *error;
};

struct loaded {
	char *path;
	uint64_t base;
};

static void loaded_free(void *data)
{
	struct loaded *loaded = data;

	g_free(loaded->path);
	g_free(loaded);
}

static const struct {
	const char *name;
	enum record_kind kind;
} kinds[] = {
	{ "entry", RECORD_CALL_ENTRY },       { "exit", RECORD_CALL_EXIT },
	{ "schema", RECORD_SCHEMA },          { "begin", RECORD_DUMP_BEGIN },
	{ "node", RECORD_DUMP_NODE },         { "allocation", RECORD_DUMP_ALLOC },
	{ "queue", RECORD_DUMP_QUEUE },       { "event", RECORD_DUMP_EVENT },
	{ "end", RECORD_DUMP_END },           { "forked", RECORD_FORKED },
	{ "exiting", RECORD_PROCESS_EXIT },   { "module", RECORD_MODULE },
	{ "module_id", RECORD_MODULE_ID },    { "lost", RECORD_LOST },
	{ "sample", RECORD_QUEUE_SAMPLE },    { "other", RECORD_OTHER },
	{ "files_read", RECORD_FILES_READ },  { "clock_pair", RECORD_CLOCK_PAIR },
	{ "stream", RECORD_DRIVER_STREAM },   { "told", RECORD_DRIVER_EVENT },
	{ "raw", RECORD_DRIVER_RAW },         { "request", RECORD_DUMP_REQUEST },
	{ "requests", RECORD_DUMP_REQUESTS }, { "stack", RECORD_STACK },
};

static bool args_of_number(const struct args_reader *reader, const char *name, uint64_t *value)
{
	const struct arg *arg = args_find(((const struct text_args *)reader)->args, name);

	if (!arg || arg->type == ARG_TEXT || arg->type == ARG_ROW)
		return false;
	*value = arg->number;
	return true;
}

static uint32_t args_of_row(const struct args_reader *reader, const char *name, uint64_t *numbers,
			    uint32_t max)
{
	const struct args *args = ((const struct text_args *)reader)->args;
	const struct arg *arg = args_find(args, name);
	uint32_t count = arg && arg->type == ARG_ROW ? MIN(arg->count, max) : 0;

	if (count)
		memcpy(numbers, args_row(args, arg), count * sizeof(numbers[0]));
	return count;
}

static void args_of_all(const struct args_reader *reader, struct args *args)
{
	const struct args *own = ((const struct text_args *)reader)->args;

	for (guint i = 0; own && i < own->list->len; i++) {
		const struct arg *arg = &g_array_index(own->list, struct arg, i);

		args_add(args, arg->name, arg->type, arg->number, arg->text, args_row(own, arg),
			 arg->count);
	}
}

static const struct args_reader *args_keep(const struct args_reader *reader)
{
	struct text_args *kept = g_memdup2(reader, sizeof(*kept));

	kept->args = args_reader_all(reader);
	return &kept->reader;
}

static void args_release(const struct args_reader *reader)
{
	struct text_args *kept = (struct text_args *)reader;

	args_free(kept->args);
	g_free(kept);
}

static bool fail(struct reader *reader, const char *format, const char *what)
{
	if (!reader->error)
		reader->error = g_strdup_printf(format, what);
	return false;
}

static Elf *open_elf(const char *path, int *fd)
{
	elf_version(EV_CURRENT);
	*fd = open(path, O_RDONLY | O_CLOEXEC);
	return *fd < 0 ? NULL : elf_begin(*fd, ELF_C_READ, NULL);
}

static bool symbol_value(const char *path, const char *name, uint64_t *value)
{
	int fd;
	Elf *elf = open_elf(path, &fd);
	Elf_Scn *section = NULL;
	bool found = false;

	while (elf && !found && (section = elf_nextscn(elf, section)) != NULL) {
		GElf_Shdr header;
		Elf_Data *data;

		if (!gelf_getshdr(section, &header) ||
		    (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM))
			continue;
		data = elf_getdata(section, NULL);
		for (size_t i = 0; data && i < header.sh_size / header.sh_entsize; i++) {
			GElf_Sym symbol;
			const char *symbol_name;

			if (!gelf_getsym(data, (int)i, &symbol))
				continue;
			symbol_name = elf_strptr(elf, header.sh_link, symbol.st_name);
			if (symbol_name && strcmp(symbol_name, name) == 0 && symbol.st_value) {
				*value = symbol.st_value;
				found = true;
				break;
			}
		}
	}
	elf_end(elf);
	if (fd >= 0)
		close(fd);
	return found;
}

/* The offset behind the count-th call (E8 and a distance) at or after an address of a file. */
static bool call_offset(const char *path, uint64_t value, unsigned int count, uint64_t *offset)
{
	int fd;
	Elf *elf = open_elf(path, &fd);
	size_t size = 0, segments = 0;
	const char *raw = elf ? elf_rawfile(elf, &size) : NULL;
	bool found = false;

	if (raw && elf_getphdrnum(elf, &segments) == 0) {
		for (size_t i = 0; i < segments && !found; i++) {
			GElf_Phdr segment;
			uint64_t at;

			if (!gelf_getphdr(elf, (int)i, &segment) || segment.p_type != PT_LOAD ||
			    value < segment.p_vaddr || value - segment.p_vaddr >= segment.p_filesz)
				continue;
			at = segment.p_offset + (value - segment.p_vaddr);
			for (uint64_t j = 0; j < 256 && at + j < size && !found; j++) {
				if ((uint8_t)raw[at + j] != 0xE8 || --count > 0)
					continue;
				*offset = j + 5;
				found = true;
			}
		}
	}
	elf_end(elf);
	if (fd >= 0)
		close(fd);
	return found;
}

static bool parse_address(struct reader *reader, const char *text, uint64_t *address)
{
	char **parts = g_strsplit(text, "!", 2);
	char *plus = parts[1] ? strpbrk(parts[1], "+>") : NULL;
	bool is_call = plus && *plus == '>';
	const struct loaded *loaded;
	uint64_t value = 0, offset = 4;
	bool ok = true;

	if (!parts[1]) {
		*address = g_ascii_strtoull(text, NULL, 0);
		g_strfreev(parts);
		return true;
	}
	if (plus) {
		offset = g_ascii_strtoull(plus + 1, NULL, 0);
		*plus = '\0';
	}
	loaded = g_hash_table_lookup(reader->modules, parts[0]);
	if (!loaded || !symbol_value(loaded->path, parts[1], &value))
		ok = fail(reader, "no such symbol: %s", text);
	else if (is_call && !call_offset(loaded->path, value, (unsigned int)offset, &offset))
		ok = fail(reader, "no such call: %s", text);
	*address = loaded ? loaded->base + value + offset : 0;
	g_strfreev(parts);
	return ok;
}

static uint32_t parse_numbers(struct reader *reader, const char *text, uint64_t *numbers)
{
	char **parts = g_strsplit(text, ",", NUMBERS_MAX);
	uint32_t count = 0;

	while (parts[count] && parse_address(reader, parts[count], &numbers[count]))
		count++;
	g_strfreev(parts);
	return count;
}

static uint32_t file_build_id(const char *path, uint8_t *build_id)
{
	int fd;
	Elf *elf = open_elf(path, &fd);
	const void *id;
	ssize_t size = elf ? dwelf_elf_gnu_build_id(elf, &id) : 0;

	if (size > 0 && size <= (ssize_t)MODULE_BUILD_ID_MAX)
		memcpy(build_id, id, (size_t)size);
	elf_end(elf);
	if (fd >= 0)
		close(fd);
	return size > 0 ? (uint32_t)size : 0;
}

static void parse_build_id(struct reader *reader, const char *text)
{
	struct record *record = &reader->record;

	record->build_id = reader->build_id;
	if (strcmp(text, "file") == 0) {
		record->build_id_size = file_build_id(record->text, reader->build_id);
		return;
	}
	for (record->build_id_size = 0;
	     text[0] && text[1] && record->build_id_size < MODULE_BUILD_ID_MAX; text += 2) {
		char byte[3] = { text[0], text[1], '\0' };

		reader->build_id[record->build_id_size++] =
			(uint8_t)g_ascii_strtoull(byte, NULL, 16);
	}
}

static void parse_text(struct reader *reader, const char *value)
{
	char **words = g_strsplit(value, "\\_", -1);

	g_free(reader->text);
	reader->text = g_strjoinv(" ", words);
	if (reader->text[0] == '@' && reader->fixtures) {
		char *path = g_build_filename(reader->fixtures, reader->text + 1, NULL);

		g_free(reader->text);
		reader->text = path;
	}
	reader->record.text = reader->text;
	g_strfreev(words);
}

/* .NAME=NUMBER, .NAME=NUMBER:LABEL, .NAME=A,B,…, or .NAME="TEXT */
static void parse_arg(struct reader *reader, const char *name, const char *value)
{
	struct args *args = reader->args.args;
	const char *label = strchr(value, ':');
	uint64_t row[NUMBERS_MAX];

	if (*value == '"')
		args_add(args, name, ARG_TEXT, 0, value + 1, NULL, 0);
	else if (strchr(value, ','))
		args_add(args, name, ARG_ROW, 0, NULL, row, parse_numbers(reader, value, row));
	else if (label)
		args_add(args, name, ARG_LABEL, g_ascii_strtoull(value, NULL, 0), label + 1, NULL,
			 0);
	else
		args_add(args, name, g_str_has_prefix(value, "0x") ? ARG_HEX : ARG_UNSIGNED,
			 g_ascii_strtoull(value, NULL, 0), NULL, NULL, 0);
}

static bool parse_field(struct reader *reader, const char *word)
{
	struct record *record = &reader->record;
	char **parts = g_strsplit(word, "=", 2);
	const char *name = parts[0], *value = parts[1];
	enum field field = field_by_name(name);
	bool ok = true;

	if (!value) {
		ok = fail(reader, "not FIELD=VALUE: %s", word);
	} else if (name[0] == '.') {
		parse_arg(reader, name + 1, value);
	} else if (strcmp(name, "stack") == 0) {
		record->stack = reader->stack;
		record->stack_depth = parse_numbers(reader, value, reader->stack);
	} else if (strcmp(name, "ids") == 0) {
		record->ids = reader->ids;
		record->id_count = parse_numbers(reader, value, reader->ids);
	} else if (strcmp(name, "handles") == 0) {
		record->handles = reader->handles;
		record->handle_count = parse_numbers(reader, value, reader->handles);
	} else if (strcmp(name, "text") == 0) {
		parse_text(reader, value);
	} else if (strcmp(name, "build_id") == 0) {
		parse_build_id(reader, value);
	} else if (field == FIELD_COUNT) {
		ok = fail(reader, "unknown field: %s", name);
	} else if (value[0] == '-') {
		values_set(&record->values, field, (uint64_t)g_ascii_strtoll(value, NULL, 0));
	} else {
		values_set(&record->values, field, g_ascii_strtoull(value, NULL, 0));
	}
	g_strfreev(parts);
	return ok && !reader->error;
}

static bool parse_call(struct reader *reader, char **words)
{
	static const char *const layers[] = {
		[LAYER_HIP] = "hip",         [LAYER_HSA] = "hsa",   [LAYER_GUEST] = "guest",
		[LAYER_COMMAND] = "command", [LAYER_HOST] = "host", [LAYER_API] = "api",
		[LAYER_IOCTL] = "ioctl",     [LAYER_OS] = "os",
	};

	_Static_assert(G_N_ELEMENTS(layers) == LAYER_COUNT, "a name for each layer");
	if (!words[6] || !words[7])
		return fail(reader, "%s", "a call needs its layer and name");
	for (int i = 0; i < LAYER_COUNT; i++) {
		if (strcmp(words[6], layers[i]) == 0)
			reader->record.type =
				model_call_type(reader->model, (enum layer)i, words[7]);
	}
	return reader->record.type || fail(reader, "unknown layer: %s", words[6]);
}

static void remember_module(struct reader *reader)
{
	struct loaded *loaded;
	char *name;

	if (reader->record.kind != RECORD_MODULE || !reader->record.text)
		return;
	loaded = g_new0(struct loaded, 1);
	loaded->path = g_strdup(reader->record.text);
	loaded->base = values_get(&reader->record.values, FIELD_ADDRESS, 0);
	name = g_path_get_basename(loaded->path);
	g_hash_table_replace(reader->modules, name, loaded);
}

static bool parse_line(struct reader *reader, char **words)
{
	struct record *record = &reader->record;
	size_t first = 6;
	bool known = false;

	for (int i = 0; i < 6; i++) {
		if (!words[i])
			return fail(reader, "%s", "too few words");
	}
	for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
		if (strcmp(words[5], kinds[i].name) == 0) {
			record_reset(record, kinds[i].kind);
			/* As LTTng lists them. */
			record->is_foreign =
				record->kind == RECORD_MODULE || record->kind == RECORD_MODULE_ID;
			known = true;
		}
	}
	if (!known)
		return fail(reader, "unknown kind: %s", words[5]);
	record->time_ns = g_ascii_strtoll(words[0], NULL, 0);
	record->hostname =
		strcmp(words[1], "-") == 0 ? NULL : model_intern(reader->model, words[1]);
	record->vpid = (uint32_t)g_ascii_strtoull(words[2], NULL, 0);
	record->vtid = (uint32_t)g_ascii_strtoull(words[3], NULL, 0);
	record->procname = strcmp(words[4], "-") == 0 ? NULL : words[4];
	if (record->kind == RECORD_CALL_ENTRY || record->kind == RECORD_CALL_EXIT) {
		if (!parse_call(reader, words))
			return false;
		first = 8;
	}
	args_free(reader->args.args);
	reader->args.args = args_new();
	record->reader = &reader->args.reader;
	for (size_t i = first; words[i]; i++) {
		if (!parse_field(reader, words[i]))
			return false;
	}
	remember_module(reader);
	model_take(reader->model, record);
	return true;
}

/* Splits at blanks; several count as one. */
static char **split_words(const char *line)
{
	GPtrArray *words = g_ptr_array_new();
	char **parts = g_strsplit_set(line, " \t", -1);

	for (size_t i = 0; parts[i]; i++) {
		if (*parts[i])
			g_ptr_array_add(words, g_strdup(parts[i]));
	}
	g_ptr_array_add(words, NULL);
	g_strfreev(parts);
	return (char **)g_ptr_array_free(words, FALSE);
}

char *text_trace_read(struct model *model, const char *text, const char *fixtures)
{
	struct reader reader = {
		.model = model,
		.fixtures = fixtures,
		.args = { .reader = { args_of_number, args_of_row, args_of_all, args_keep,
				      args_release } },
	};
	char *error = NULL;
	size_t number = 0;

	reader.modules = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, loaded_free);
	/* line by line: what splits the whole looks to its end for each, under the sanitizer */
	for (const char *at = text, *end; *at && !error; at = *end ? end + 1 : end) {
		char *line, **words;

		end = strchrnul(at, '\n');
		line = g_strndup(at, (gsize)(end - at));
		words = split_words(line);
		number++;
		if (words[0] && words[0][0] != '#' && !parse_line(&reader, words))
			error = g_strdup_printf("line %zu: %s", number, reader.error);
		g_strfreev(words);
		g_free(line);
	}
	g_hash_table_destroy(reader.modules);
	args_free(reader.args.args);
	g_free(reader.text);
	g_free(reader.error);
	return error;
}

char *text_trace_read_file(struct model *model, const char *path, const char *fixtures)
{
	GError *failure = NULL;
	char *text = NULL, *error;

	if (!g_file_get_contents(path, &text, NULL, &failure)) {
		error = g_strdup(failure->message);
		g_error_free(failure);
		return error;
	}
	error = text_trace_read(model, text, fixtures);
	g_free(text);
	return error;
}
