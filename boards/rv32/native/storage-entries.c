/* Operations on names (device/hosts/posix/native/storage/storage.h). */
#include <errno.h>
#include <string.h>

#include "storage-space.h"
#include "storage-tree.h"
#include "storage.h"

static StorageStatus status_of(const StorageNode *node)
{
	return (StorageStatus){ node->size, node->isDirectory };
}

int storage_status(StorageVolume volume, const char *path, StorageStatus *status)
{
	StoragePlace place;
	int error = storage_tree_find(volume, path, &place);
	if (error || !place.node)
		return error ? error : -ENOENT;
	*status = status_of(place.node);
	return 0;
}

static void take_away(StorageVolume volume, StorageNode *node)
{
	storage_tree_remove(node);
	storage_free_unused(volume, node);
}

static bool is_within(const StorageNode *node, const StorageNode *directory)
{
	while (node && node != directory)
		node = node->parent;
	return node;
}

/* Renames a node to another name. */
static int rename_to(StorageVolume volume, StorageNode *node, const StoragePlace *to)
{
	if (to->node && to->node->isDirectory)
		return -EEXIST;
	if (to->node && node->isDirectory)
		return -ENOTDIR;
	if (is_within(to->directory, node))
		return -EINVAL;
	if (to->node)
		take_away(volume, to->node);
	storage_tree_move(node, to);
	return 0;
}

int storage_rename(StorageVolume volume, const char *from, const char *to)
{
	StoragePlace source, target;
	int error = storage_tree_find(volume, from, &source);
	if (!error)
		error = storage_tree_find(volume, to, &target);
	if (error || !source.node)
		return error ? error : -ENOENT;
	return source.node == target.node ? 0 : rename_to(volume, source.node, &target);
}

int storage_delete(StorageVolume volume, const char *path)
{
	StoragePlace place;
	int error = storage_tree_find(volume, path, &place);
	if (error || !place.node)
		return error ? error : -ENOENT;
	if (place.node->first)
		return -ENOTEMPTY;
	take_away(volume, place.node);
	return 0;
}

int storage_make_directory(StorageVolume volume, const char *path)
{
	StoragePlace place;
	int error = storage_tree_find(volume, path, &place);
	if (error || place.node)
		return error ? error : -EEXIST;
	if (!storage_has_room(volume, STORAGE_DIRECTORY_BLOCKS) || !storage_tree_add(&place, true))
		return -ENOSPC;
	storage_add_blocks(volume, STORAGE_DIRECTORY_BLOCKS);
	return 0;
}

static void visit_all(const StorageNode *directory, StorageVisitor visit, void *context)
{
	for (const StorageNode *node = directory->first; node; node = node->next) {
		StoragePath at = { 0 };
		StorageStatus status = status_of(node);
		strcpy(at.name, node->name);
		visit(&at, &status, context);
	}
}

int storage_list(StorageVolume volume, const char *path, StorageVisitor visit, void *context)
{
	StoragePlace place = { .node = storage_tree_root(volume) };
	int error = *path ? storage_tree_find(volume, path, &place) : 0;
	if (error || !place.node)
		return error ? error : -ENOENT;
	if (!place.node->isDirectory)
		return -ENOTDIR;
	visit_all(place.node, visit, context);
	return 0;
}
