/*
 * The names of the console's storage: directories, files, and their sizes. A tree in memory that is empty at power on,
 * as on a new board. On a board names are in flash, so this memory does not count as the console's: it has room for
 * STORAGE_NODES names, and uses no heap. The contents of files are elsewhere (storage-contents.h).
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
	int openings;			/* number of open handles: the node exists until there are none, even without a name */
	StorageNode *parent;	/* NULL: it has no name */
	StorageNode *first;		/* first entry of the directory */
	StorageNode *next;		/* in the same directory */
};

/* The place of a node that may not exist. */
typedef struct {
	StorageNode *directory;
	const char *name;		/* in the parent: the end of the path */
	StorageNode *node;		/* NULL: the name does not exist */
} StoragePlace;

/* The volume's root directory. */
StorageNode *storage_tree_root(StorageVolume volume);

/* @returns 0 or minus an errno: -EINVAL for an invalid path, -ENOENT and -ENOTDIR for its directories */
int storage_tree_find(StorageVolume volume, const char *path, StoragePlace *place);

/*
 * Creates a node.
 * @returns NULL if there is no room for another name
 */
StorageNode *storage_tree_add(const StoragePlace *place, bool isDirectory);

/* Gives the node another name, which must not exist. */
void storage_tree_move(StorageNode *node, const StoragePlace *to);

/* Removes its name. Once it is not open either, its number is free. */
void storage_tree_remove(StorageNode *node);

/* Its number, which is unique among existing nodes. */
unsigned int storage_tree_number(const StorageNode *node);

#endif
