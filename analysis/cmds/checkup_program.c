/* SPDX-License-Identifier: MIT */
/*
 * Finds out whether a program would load our libhsakmt: the dynamic linker itself is asked which
 * objects it would map, since nothing else knows all its rules.
 */
#include "checkup.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#define THUNK     "libhsakmt.so.1"
#define SANITIZER "libasan.so."
#define RUNTIME   "libhsa-runtime64.so.1"

/* What an ELF file is, as far as preloading is concerned. */
struct executable {
	bool is_elf, is_dynamic, is_64bit, defines_thunk;
	bool has_rpath;         /* a search path before LD_LIBRARY_PATH */
	char *interpreter_line; /* owned; of a script */
};

static bool defines_symbol(Elf *elf, const char *wanted)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section))) {
		Elf_Data *data;

		if (!gelf_getshdr(section, &header) || header.sh_entsize == 0 ||
		    (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM))
			continue;
		data = elf_getdata(section, NULL);
		for (size_t i = 0; data && i < header.sh_size / header.sh_entsize; i++) {
			GElf_Sym symbol;
			const char *name;

			if (!gelf_getsym(data, (int)i, &symbol) || symbol.st_shndx == SHN_UNDEF)
				continue;
			name = elf_strptr(elf, header.sh_link, symbol.st_name);
			if (name && strcmp(name, wanted) == 0)
				return true;
		}
	}
	return false;
}

static bool has_rpath(Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	GElf_Dyn entry;

	while ((section = elf_nextscn(elf, section))) {
		Elf_Data *data;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_DYNAMIC)
			continue;
		data = elf_getdata(section, NULL);
		for (int i = 0; data && gelf_getdyn(data, i, &entry); i++)
			if (entry.d_tag == DT_RPATH)
				return true;
	}
	return false;
}

static void look_at_elf(int fd, struct executable *out)
{
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	GElf_Phdr header;
	size_t count = 0;

	out->is_elf = elf && elf_kind(elf) == ELF_K_ELF;
	if (out->is_elf) {
		out->is_64bit = gelf_getclass(elf) == ELFCLASS64;
		elf_getphdrnum(elf, &count);
		for (size_t i = 0; i < count; i++)
			if (gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_INTERP)
				out->is_dynamic = true;
		out->defines_thunk = defines_symbol(elf, "hsaKmtOpenKFD");
		out->has_rpath = has_rpath(elf);
	}
	elf_end(elf);
}

static bool look_at(const char *path, struct executable *out)
{
	char head[256] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	*out = (struct executable){ 0 };
	if (fd < 0)
		return false;
	if (pread(fd, head, sizeof(head) - 1, 0) > 2 && memcmp(head, "#!", 2) == 0)
		out->interpreter_line = g_strstrip(g_strndup(head + 2, strcspn(head + 2, "\n")));
	else
		look_at_elf(fd, out);
	close(fd);
	return true;
}

/* The loader drops LD_PRELOAD and LD_LIBRARY_PATH for programs that gain rights. */
static bool gains_rights(const char *path)
{
	struct stat st;

	return (stat(path, &st) == 0 && (st.st_mode & (S_ISUID | S_ISGID)) && geteuid() != 0) ||
	       getxattr(path, "security.capability", NULL, 0) > 0;
}

/* The loader's list: lines of "NAME => PATH (ADDRESS)". NULL when the program cannot be asked. */
static char *list_objects(const char *path, char **envp)
{
	char *argv[] = { (char *)path, NULL };
	char **asking = g_environ_setenv(g_strdupv(envp), "LD_TRACE_LOADED_OBJECTS", "1", TRUE);
	char *output = NULL;

	if (!g_spawn_sync(NULL, argv, asking, G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, &output, NULL,
			  NULL, NULL))
		output = NULL;
	g_strfreev(asking);
	return output;
}

/* The path behind a name that begins so in the loader's list, or NULL; the caller frees it. */
static char *object_path(const char *list, const char *name)
{
	char *needle = g_strdup_printf("\t%s", name), *path = NULL;
	const char *found = strstr(list, needle), *arrow = found ? strstr(found, " => ") : NULL;

	if (arrow && arrow < found + strcspn(found, "\n") && arrow[4] == '/')
		path = g_strndup(arrow + 4, strcspn(arrow + 4, " \n"));
	g_free(needle);
	return path;
}

static void judge_runtime(struct checkup *checkup, const char *runtime)
{
	struct executable executable;

	if (!runtime) {
		checkup_add(checkup, VERDICT_NOTE, "thunk",
			    "the program loads no " THUNK " at its start; if it loads ROCm later "
			    "(dlopen), that is recorded too unless the runtime has the thunk "
			    "linked in statically");
		return;
	}
	(void)look_at(runtime, &executable); /* unreadable: the verdict is the same */
	checkup_add(
		checkup, VERDICT_PROBLEM, "thunk",
		"'%s' does not use " THUNK "%s: the thunk is linked into it statically, so no "
		"library calls can be recorded; 'kfdscope record --system-thunk' records what it "
		"asks of the driver",
		runtime, executable.defines_thunk ? " but defines hsaKmtOpenKFD itself" : "");
	g_free(executable.interpreter_line);
}

/* Whether the calls of HIP can be seen, which go through the dynamic linker's symbols. */
static void judge_hip(struct checkup *checkup, const char *list)
{
	if (strstr(list, "\tlibamdhip64.so"))
		checkup_add(checkup, VERDICT_GOOD, "hip",
			    "the program is linked with HIP: its "
			    "calls of HIP are recorded");
	else
		checkup_add(checkup, VERDICT_NOTE, "hip",
			    "the program is not linked with HIP; if it opens HIP later, calls are "
			    "recorded unless it takes the functions by dlsym(), as ctypes does: "
			    "then leaks are told apart by their stacks alone");
}

static bool same_file(const char *one, const char *other)
{
	struct stat a, b;

	return stat(one, &a) == 0 && stat(other, &b) == 0 && a.st_ino == b.st_ino &&
	       a.st_dev == b.st_dev;
}

static void judge_objects(struct checkup *checkup, const struct places *places, const char *list)
{
	char *thunk = object_path(list, THUNK), *runtime = object_path(list, RUNTIME);
	char *ours = g_build_filename(places->thunk_dir, THUNK, NULL);
	char *preloaded = g_strdup_printf("\t%s (", ours); /* how the loader lists it */

	if (strstr(list, preloaded))
		checkup_add(
			checkup, VERDICT_GOOD, "thunk",
			"the program loads ours: %s (in front of the one on its own search path)",
			ours);
	else if (!thunk)
		judge_runtime(checkup, runtime);
	else if (same_file(thunk, ours))
		checkup_add(checkup, VERDICT_GOOD, "thunk", "the program loads ours: %s", thunk);
	else
		checkup_add(
			checkup, VERDICT_PROBLEM, "thunk",
			"the program loads '%s' instead of ours: a search path is built into it "
			"(RPATH); remove it with 'chrpath -d' or 'patchelf --remove-rpath'",
			thunk);
	judge_hip(checkup, list);
	g_free(preloaded);
	g_free(ours);
	g_free(thunk);
	g_free(runtime);
}

static void check_elf(struct checkup *checkup, const struct places *places, const char *path,
		      const struct executable *executable, char **envp)
{
	char *list;

	if (!executable->is_64bit) {
		checkup_add(checkup, VERDICT_PROBLEM, "program",
			    "'%s' is no 64-bit program: the "
			    "KFD serves none and our objects do not load into it",
			    path);
		return;
	}
	if (!executable->is_dynamic) {
		checkup_add(
			checkup, VERDICT_PROBLEM, "program",
			"'%s' is linked statically%s: nothing can be put in front of it, neither "
			"our thunk nor the tracer at the libc boundary",
			path, executable->defines_thunk ? ", with a thunk of its own" : "");
		return;
	}
	if (gains_rights(path)) {
		checkup_add(checkup, VERDICT_PROBLEM, "program",
			    "'%s' gains rights when it starts (set-user-id or capabilities): the "
			    "loader then ignores our objects; run it as the user that it becomes",
			    path);
		return;
	}
	checkup_add(checkup, VERDICT_GOOD, "program", "%s", path);
	if (executable->defines_thunk) {
		checkup_add(checkup, VERDICT_PROBLEM, "thunk",
			    "'%s' defines hsaKmtOpenKFD itself: the thunk is linked in statically, "
			    "so no library calls can be recorded; 'kfdscope record "
			    "--system-thunk' records what it asks of the driver",
			    path);
		return;
	}
	list = list_objects(path, envp);
	if (list)
		judge_objects(checkup, places, list);
	else
		checkup_add(checkup, VERDICT_NOTE, "thunk",
			    "'%s' cannot be asked for its libraries", path);
	g_free(list);
}

void checkup_program(struct checkup *checkup, const struct places *places, const char *program,
		     char **envp)
{
	char *path = g_find_program_in_path(program);
	struct executable executable;

	elf_version(EV_CURRENT);
	if (!path || !look_at(path, &executable)) {
		checkup_add(checkup, VERDICT_PROBLEM, "program", "'%s': %s", program,
			    path ? g_strerror(errno) : "no such program");
	} else if (executable.interpreter_line) {
		checkup_add(checkup, VERDICT_NOTE, "program",
			    "'%s' is a script; checking what runs it: %s", path,
			    executable.interpreter_line);
		char **words = g_strsplit(executable.interpreter_line, " ", 2);

		/* "env NAME" looks NAME up in PATH. */
		checkup_program(
			checkup, places,
			words[1] && g_str_has_suffix(words[0], "/env") ? words[1] : words[0], envp);
		g_strfreev(words);
		g_free(executable.interpreter_line);
	} else if (!executable.is_elf) {
		checkup_add(checkup, VERDICT_PROBLEM, "program", "'%s' is no program", path);
	} else {
		check_elf(checkup, places, path, &executable, envp);
	}
	g_free(path);
}

bool checkup_passes_thunk_by(const struct places *places, const char *program, char **envp)
{
	char *path = g_find_program_in_path(program), *list = NULL, *thunk = NULL;
	char *ours = g_build_filename(places->thunk_dir, THUNK, NULL);
	struct executable executable = { 0 };
	bool passes = false;

	elf_version(EV_CURRENT);
	if (path && look_at(path, &executable) && executable.is_dynamic && executable.is_64bit &&
	    !executable.defines_thunk && !gains_rights(path)) {
		list = list_objects(path, envp);
		thunk = list ? object_path(list, THUNK) : NULL;
		passes = thunk ? !same_file(thunk, ours) : executable.has_rpath;
	}
	g_free(executable.interpreter_line);
	g_free(thunk);
	g_free(list);
	g_free(ours);
	g_free(path);
	return passes;
}

char *checkup_sanitizer(const char *program, char **envp)
{
	char *path = g_find_program_in_path(program), *list = NULL, *sanitizer = NULL;
	struct executable executable = { 0 };

	elf_version(EV_CURRENT);
	if (path && look_at(path, &executable) && executable.is_dynamic && executable.is_64bit &&
	    !gains_rights(path))
		list = list_objects(path, envp);
	if (list)
		sanitizer = object_path(list, SANITIZER);
	g_free(executable.interpreter_line);
	g_free(list);
	g_free(path);
	return sanitizer;
}
