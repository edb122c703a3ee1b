/*
 * The names of the console's storage: directories, files, and how large they are. A tree in memory that is empty at
 * power on: the board is as it was bought. On a board names are in flash, so this memory counts as none of the
 * console's: it has room for STORAGE_NODES of them, and takes nothing from the heap. What files contain is elsewhere
 * (storage-contents.h).
 */
#ifndef SVC_STORAGE_TREE_H
#define SVC_STORAGE_TREE_H

#include "storage.h"

/* Volumes, directories and files together. The console has a few dozen. */
enum { STORAGE_NODES = 512 };

typedef struct StorageNode StorageNode;
struct StorageNode {
	char name[NAME_MAX + 1];
	bool isDirectory;
	int64_t size;			/* of a file, in bytes; 0 for a directory */
	int openings;			/* how often it is open: until it is not, it exists without its name too */
	StorageNode *parent;	/* NULL: it has no name */
	StorageNode *first;		/* of what is in the directory */
	StorageNode *next;		/* in the same directory */
};

/* Where something is or would be. */
typedef struct {
	StorageNode *directory;
	const char *name;		/* in there: the end of the path */
	StorageNode *node;		/* NULL: there is nothing of that name */
} StoragePlace;

/* The volume's own directory. */
StorageNode *storage_tree_root(StorageVolume volume);

/* @returns 0 or minus an errno: -EINVAL for a path that is not well-formed, -ENOENT and -ENOTDIR on the way */
int storage_tree_find(StorageVolume volume, const char *path, StoragePlace *place);

/* Makes what was not there. @returns NULL where there is no room for a name more */
StorageNode *storage_tree_add(const StoragePlace *place, bool isDirectory);

/* Gives it another name, at which there is nothing. */
void storage_tree_move(StorageNode *node, const StoragePlace *to);

/* Takes its name. Once it is not open either, its number is free for another. */
void storage_tree_remove(StorageNode *node);

/* Which of them it is: no two that exist have the same. */
unsigned int storage_tree_number(const StorageNode *node);

#endif
