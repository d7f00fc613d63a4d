/* SPDX-License-Identifier: MIT */
/* U03: the receiver opens a handle eight times and closes it seven times. */
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"

#define SIZE  (16ull << 20)
#define OPENS 8

extern char **environ;

static CASE_FUNCTION void *open_handle(const HsaSharedMemoryHandle *handle)
{
	HSAuint64 size = 0;
	void *address = NULL;

	OK(hsaKmtRegisterSharedHandle(handle, &address, &size));
	if (size != SIZE)
		exit(98);
	OK(hsaKmtMapMemoryToGPU(address, SIZE, NULL));
	OK(hsaKmtUnmapMemoryToGPU(address));
	return address;
}

static int receive(void)
{
	HsaSharedMemoryHandle handle;
	void *addresses[OPENS];

	if (read(STDIN_FILENO, &handle, sizeof(handle)) != sizeof(handle))
		return 97;
	open_driver();
	for (int i = 0; i < OPENS; i++)
		addresses[i] = open_handle(&handle);
	for (int i = 1; i < OPENS; i++)
		OK(hsaKmtDeregisterMemory(addresses[i]));
	close_driver();
	return 0;
}

static CASE_FUNCTION void *make_shared(HsaSharedMemoryHandle *handle)
{
	void *address = alloc_device(1, SIZE);

	OK(hsaKmtShareMemory(address, SIZE, handle));
	return address;
}

static pid_t start_receiver(char *self, int in)
{
	char word[] = "receive", *argv[] = { self, word, NULL };
	posix_spawn_file_actions_t actions;
	pid_t pid = -1;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
	if (posix_spawn(&pid, "/proc/self/exe", &actions, NULL, argv, environ) != 0)
		exit(96);
	posix_spawn_file_actions_destroy(&actions);
	return pid;
}

int main(int argc, char **argv)
{
	HsaSharedMemoryHandle handle;
	int ends[2], status = -1;
	void *address;
	pid_t pid;

	if (argc > 1 && strcmp(argv[1], "receive") == 0)
		return receive();
	if (pipe(ends) != 0)
		return 95;
	open_driver();
	address = make_shared(&handle);
	pid = start_receiver(argv[0], ends[0]);
	if (write(ends[1], &handle, sizeof(handle)) != sizeof(handle) ||
	    waitpid(pid, &status, 0) != pid)
		return 94;
	OK(hsaKmtFreeMemory(address, SIZE));
	close_driver();
	return WIFEXITED(status) ? WEXITSTATUS(status) : 93;
}
