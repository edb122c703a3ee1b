/*
 * The contents of files: a numbered file of the host for each, in the working directory. Semihosting can neither
 * create directories nor truncate files, hence the flat names, and a rule: beyond the size of a file, its host file
 * has zeros or ends. So growing a file only changes its size.
 *
 * Positions are below STORAGE_CONTENTS_LIMIT. Unless stated otherwise, functions return 0; -EIO if the host fails.
 */
#ifndef SVC_STORAGE_CONTENTS_H
#define SVC_STORAGE_CONTENTS_H

#include <stddef.h>
#include <stdint.h>

/* A seek position has 32 bits; files of littlefs have the same limit (LFS_FILE_MAX). */
enum { STORAGE_CONTENTS_LIMIT = 2147483647 };

/* @returns a handle of the host's file, which is created or truncated */
int storage_contents_create(unsigned int number);
/* @returns a handle of an existing file */
int storage_contents_open(unsigned int number);
void storage_contents_close(int handle);
void storage_contents_delete(unsigned int number);

/* Reads all bytes; those that the host's file does not have are zeros. */
int storage_contents_read(int handle, void *into, size_t length, int64_t position);
int storage_contents_write(int handle, const void *bytes, size_t length, int64_t position);

/* Truncates the file: fills the rest with zeros. */
int storage_contents_cut(int handle, int64_t position);

#endif
