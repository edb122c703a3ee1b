/* Finding what a path names below a directory, and nothing outside of it. */
#ifndef SVC_STORAGE_PATH_H
#define SVC_STORAGE_PATH_H

#include <limits.h>

/* Where something is or would be: the directory that holds it, and its name in there. */
typedef struct {
	int directory;			/* O_PATH; to be closed with storage_path_close */
	char name[NAME_MAX + 1];
} StoragePath;

/* @returns 0 or minus an errno: -EINVAL for a path that is not well-formed, -ENOTDIR on the way */
int storage_path_open(int root, const char *path, StoragePath *result);
void storage_path_close(StoragePath *path);

/* The directory itself, opened for listing; "" is the root. @returns a descriptor or minus an errno */
int storage_path_open_directory(int root, const char *path);

#endif
