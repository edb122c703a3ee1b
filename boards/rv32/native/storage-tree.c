/* Walks and changes the tree (storage-tree.h). The first nodes of the table are the volumes. */
#include "storage-tree.h"

#include <errno.h>
#include <string.h>

static StorageNode nodes[STORAGE_NODES];

StorageNode *storage_tree_root(StorageVolume volume)
{
	nodes[volume].isDirectory = true;
	return &nodes[volume];
}

unsigned int storage_tree_number(const StorageNode *node)
{
	return node - nodes;
}

/* @returns 0 or minus an errno */
static int check_name(const char *name, size_t length)
{
	bool isDots = (length == 1 || length == 2) && strncmp(name, "..", length) == 0;
	if (length == 0 || isDots)
		return -EINVAL;
	return length > NAME_MAX ? -ENAMETOOLONG : 0;
}

static StorageNode *child_named(const StorageNode *directory, const char *name, size_t length)
{
	StorageNode *node = directory->first;
	while (node && (strncmp(node->name, name, length) != 0 || node->name[length] != 0))
		node = node->next;
	return node;
}

int storage_tree_find(StorageVolume volume, const char *path, StoragePlace *place)
{
	StorageNode *node = storage_tree_root(volume);
	for (;;) {
		size_t length = strcspn(path, "/");
		if (!node)
			return -ENOENT;
		if (!node->isDirectory)
			return -ENOTDIR;
		int error = check_name(path, length);
		if (error)
			return error;
		*place = (StoragePlace){ node, path, child_named(node, path, length) };
		if (path[length] == 0)
			return 0;
		node = place->node;
		path += length + 1;
	}
}

static bool exists(const StorageNode *node)
{
	return node->parent || node->openings > 0;
}

static void put_in(StorageNode *node, const StoragePlace *place)
{
	strcpy(node->name, place->name);
	node->parent = place->directory;
	node->next = place->directory->first;
	place->directory->first = node;
}

StorageNode *storage_tree_add(const StoragePlace *place, bool isDirectory)
{
	StorageNode *node = nodes + STORAGE_VOLUMES;
	while (node < nodes + STORAGE_NODES && exists(node))
		node++;
	if (node == nodes + STORAGE_NODES)
		return NULL;
	*node = (StorageNode){ .isDirectory = isDirectory };
	put_in(node, place);
	return node;
}

void storage_tree_remove(StorageNode *node)
{
	StorageNode **link = &node->parent->first;
	while (*link != node)
		link = &(*link)->next;
	*link = node->next;
	node->parent = NULL;
}

void storage_tree_move(StorageNode *node, const StoragePlace *to)
{
	storage_tree_remove(node);
	put_in(node, to);
}
