/* SPDX-License-Identifier: MIT */
/*
 * U19: two libraries make more queues than the GPU can run. usage: u19 COMPUTE-X COMPUTE-Y COPY-X
 * HOLD-MS [FOLDER COUNT]; the libraries are two copies of u19_maker.so beside the program. With a
 * folder, the time begins when COUNT processes have made their queues, each of which tells the others
 * by a file there.
 */
#include "queues.h"

#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <unistd.h>

#define QUEUES_MAX 64

typedef HSAKMT_STATUS (*make_function)(HSA_QUEUE_TYPE type, void *ring, HSA_QUEUEID *id);

static make_function load_maker(const char *program, const char *name)
{
	char path[PATH_MAX];
	void *library;

	snprintf(path, sizeof(path), "%.*s/%s", (int)(strrchr(program, '/') - program), program,
		 name);
	library = dlopen(path, RTLD_NOW);
	if (!library) {
		fprintf(stderr, "client: %s\n", dlerror());
		exit(98);
	}
	return (make_function)dlsym(library, "make_for_stream");
}

static int count_files(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	int count = 0;

	if (!dir)
		exit(96);
	while ((entry = readdir(dir)))
		count += entry->d_name[0] != '.';
	closedir(dir);
	return count;
}

static void meet(const char *folder, int count)
{
	char path[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%d", folder, (int)getpid());
	file = fopen(path, "we");
	if (!file || fclose(file) != 0)
		exit(96);
	while (count_files(folder) < count)
		usleep(1000);
}

int main(int argc, char **argv)
{
	make_function x = load_maker(argv[0], "libu19_x.so");
	make_function y = load_maker(argv[0], "libu19_y.so");
	HSA_QUEUEID ids[QUEUES_MAX];
	int count = 0, numbers[4];
	void *ring;

	if (argc < 5)
		return 97;
	for (int i = 0; i < 4; i++)
		numbers[i] = atoi(argv[i + 1]);
	open_driver();
	ring = make_ring();
	for (int i = 0; i < numbers[0]; i++)
		OK(x(HSA_QUEUE_COMPUTE, ring, &ids[count++]));
	for (int i = 0; i < numbers[1]; i++)
		OK(y(HSA_QUEUE_COMPUTE, ring, &ids[count++]));
	for (int i = 0; i < numbers[2]; i++)
		OK(x(HSA_QUEUE_SDMA, ring, &ids[count++]));
	if (argc > 6)
		meet(argv[5], atoi(argv[6]));
	usleep((useconds_t)numbers[3] * 1000);
	while (count > 0)
		OK(hsaKmtDestroyQueue(ids[--count]));
	drop_ring(ring);
	close_driver();
	return 0;
}
