/* Counts operations and undoes changes that were not flushed (power.h). */
#define _FILE_OFFSET_BITS 64
#include "power.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "environment.h"
#include "resume.h"
#include "retained.h"

/* The state before a change: the file's size, and the bytes that were overwritten or cut off. */
typedef struct Change {
	struct Change *older;
	off_t size;
	off_t position;
	size_t length;
	uint8_t bytes[];
} Change;

/* A file with changes that are not safe. Identified by device and inode, since it may be renamed. */
typedef struct UnsafeFile {
	struct UnsafeFile *next;
	dev_t device;
	ino_t inode;
	int fd;					/* a duplicate: the program may have closed its own */
	size_t changeCount;
	Change *newest;
} UnsafeFile;

static struct {
	unsigned long cutAt;	/* 0: never */
	uint64_t random;		/* state of the generator, from the seed */
	const char *countPath;
} plan;

static UnsafeFile *unsafeFiles;

/* splitmix64 (Steele, Lea, Flood 2014), which accepts any seed. */
static uint64_t next_random(void)
{
	uint64_t bits = plan.random += 0x9E3779B97F4A7C15u;
	bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9u;
	bits = (bits ^ bits >> 27) * 0x94D049BB133111EBu;
	return bits ^ bits >> 31;
}

/* 0 to `maximum`, inclusive. */
static size_t random_up_to(size_t maximum)
{
	return next_random() % ((uint64_t)maximum + 1);
}

static void write_count(void)
{
	FILE *file = fopen(plan.countPath, "w");
	if (!file || fprintf(file, "%lu\n", resume.operationCount) < 0 || fclose(file) != 0)
		fprintf(stderr, "console: cannot write \"%s\"\n", plan.countPath);
}

void power_open(void)
{
	plan.cutAt = environment_number("SVC_SIM_POWER_CUT", 0, 0);
	plan.random = environment_number("SVC_SIM_POWER_SEED", 0, plan.cutAt);
	plan.countPath = getenv("SVC_SIM_STORAGE_COUNT");
	if (plan.countPath)
		atexit(write_count);
}

bool power_fails(void)
{
	return ++resume.operationCount == plan.cutAt;
}

size_t power_torn_length(size_t length)
{
	return random_up_to(length);
}

static UnsafeFile **find(const struct stat *status)
{
	UnsafeFile **link = &unsafeFiles;
	while (*link && !((*link)->device == status->st_dev && (*link)->inode == status->st_ino))
		link = &(*link)->next;
	return link;
}

/* Exits on failure: a durability test that cannot go on must not look like a pass. */
static void require(bool isDone, const char *what)
{
	if (isDone)
		return;
	fprintf(stderr, "console: cannot %s for a power cut\n", what);
	abort();
}

static UnsafeFile *add(const struct stat *status, int fd)
{
	UnsafeFile *file = calloc(1, sizeof(UnsafeFile));
	require(file, "keep what a file was");
	*file = (UnsafeFile){ .next = unsafeFiles, .device = status->st_dev, .inode = status->st_ino };
	file->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	require(file->fd >= 0, "keep a file open");
	return unsafeFiles = file;
}

static void remember(UnsafeFile *file, off_t size, off_t position, size_t length)
{
	Change *change = malloc(sizeof(Change) + length);
	require(change, "keep what a file was");
	*change = (Change){ .older = file->newest, .size = size, .position = position };
	ssize_t count = pread(file->fd, change->bytes, length, position);
	require(count >= 0, "read what a file was");
	change->length = count;
	file->newest = change;
	file->changeCount++;
}

void power_note_change(int fd, off_t position, size_t length)
{
	struct stat status;
	if (plan.cutAt == 0 || resume.operationCount >= plan.cutAt)
		return;
	require(fstat(fd, &status) == 0, "look at a file");
	UnsafeFile *file = *find(&status);
	remember(file ? file : add(&status, fd), status.st_size, position, length);
}

static void forget_newest(UnsafeFile *file)
{
	Change *change = file->newest;
	file->newest = change->older;
	file->changeCount--;
	free(change);
}

void power_note_flush(int fd)
{
	struct stat status;
	if (!unsafeFiles || fstat(fd, &status) != 0)
		return;
	UnsafeFile **link = find(&status), *file = *link;
	if (!file)
		return;
	while (file->newest)
		forget_newest(file);
	*link = file->next;
	close(file->fd);
	free(file);
}

static void undo_newest(UnsafeFile *file)
{
	const Change *change = file->newest;
	ssize_t count = pwrite(file->fd, change->bytes, change->length, change->position);
	require(count == (ssize_t)change->length && ftruncate(file->fd, change->size) == 0, "undo a change");
	forget_newest(file);
}

static void scramble_retained_memory(void)
{
	uint8_t *memory = retained_map();
	for (size_t index = 0; index < RETAINED_FILE_BYTES; index++)
		memory[index] = (uint8_t)next_random();
}

void power_cut(void)
{
	for (UnsafeFile *file = unsafeFiles; file; file = file->next) {
		for (size_t count = random_up_to(file->changeCount); count > 0; count--)
			undo_newest(file);
	}
	scramble_retained_memory();
	if (plan.countPath)
		write_count();
	_exit(POWER_CUT_STATUS);
}
