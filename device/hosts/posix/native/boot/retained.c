/* Maps DIR/retained.bin (retained.h); the program uses all of it except the header. */
#include "retained.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "options.h"
#include "retained-bytes.h"

uint8_t *retained_map(void)
{
	static uint8_t *mapped;
	if (mapped)
		return mapped;
	int fd = open(options_state_path(RETAINED_FILE), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	// Allocated, not only sized: writing into a hole of a full disk would kill the process.
	int error = fd < 0 ? errno : posix_fallocate(fd, 0, RETAINED_FILE_BYTES);
	if (error) {
		fprintf(stderr, "console: cannot open \"%s\": %s\n", options_state_path(RETAINED_FILE), strerror(error));
		exit(1);
	}
	mapped = mmap(NULL, RETAINED_FILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (mapped == MAP_FAILED)
		abort();
	return mapped;
}

uint32_t retained_byte_length(void)
{
	return RETAINED_MEMORY_BYTES;
}

uint8_t *retained_bytes(void)
{
	return retained_map() + RETAINED_HEADER_BYTES;
}
