/* SPDX-License-Identifier: MIT */
/* A directory as output: it gets its name when it is complete, and is gone when it never will be. */
#ifndef KFDSCOPE_ANALYSIS_OUTPUT_FOLDER_H
#define KFDSCOPE_ANALYSIS_OUTPUT_FOLDER_H

struct out_folder {
	char *path;     /* owned */
	char *building; /* owned: what is to be written into; NULL: done with */
};

/* Prepares one; whoever writes makes the directory. @return 0, or -EEXIST. */
int out_folder_open(struct out_folder *folder, const char *path);
/* Gives it its name. @return 0 or -errno. */
int out_folder_commit(struct out_folder *folder);
/* Removes what was not committed, and lets go of the rest. */
void out_folder_close(struct out_folder *folder);

#endif
