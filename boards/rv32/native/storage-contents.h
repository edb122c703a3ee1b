/*
 * What files contain: a file of the host's for each, in the working directory, by its number. Semihosting can neither
 * make directories nor cut a file short, hence the flat names, and a rule: behind the size of a file its host's file
 * has zeros, or ends. So a file grows by its size alone.
 *
 * Positions are below STORAGE_CONTENTS_LIMIT. Functions return 0 or what they say, and -EIO where the host fails.
 */
#ifndef SVC_STORAGE_CONTENTS_H
#define SVC_STORAGE_CONTENTS_H

#include <stddef.h>
#include <stdint.h>

/* A seek's position has 32 bits; files of littlefs end here too (LFS_FILE_MAX). */
enum { STORAGE_CONTENTS_LIMIT = 2147483647 };

/* @returns a handle of the host's file, which is made, or made empty */
int storage_contents_create(unsigned int number);
/* @returns a handle of one that was made */
int storage_contents_open(unsigned int number);
void storage_contents_close(int handle);
void storage_contents_delete(unsigned int number);

/* All of it: what the host's file does not have is zeros. */
int storage_contents_read(int handle, void *into, size_t length, int64_t position);
int storage_contents_write(int handle, const void *bytes, size_t length, int64_t position);

/* Zeros from here on: the file ends here. */
int storage_contents_cut(int handle, int64_t position);

#endif
