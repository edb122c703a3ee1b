/* Resolves paths below a directory, and nothing outside it. */
#ifndef SVC_STORAGE_PATH_H
#define SVC_STORAGE_PATH_H

#include <limits.h>

/* The place of a file or directory that may not exist: its parent directory, and its name there. */
typedef struct {
	int directory;			/* O_PATH; closed by storage_path_close */
	char name[NAME_MAX + 1];
} StoragePath;

/* @returns 0 or minus an errno: -EINVAL for an invalid path, -ENOTDIR if a part of it is not a directory */
int storage_path_open(int root, const char *path, StoragePath *result);
void storage_path_close(StoragePath *path);

/*
 * Opens the directory itself for listing; "" is the root.
 * @returns a descriptor or minus an errno
 */
int storage_path_open_directory(int root, const char *path);

#endif
