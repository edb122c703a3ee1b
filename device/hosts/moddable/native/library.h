/* The firmware that runs: the library which the simulator has loaded. */
#ifndef SVC_LIBRARY_H
#define SVC_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
	uint8_t *bytes;			/* from malloc */
	size_t length;
} Library;

/* All of the file that this is loaded from. Exits with status 1 and a message where it cannot be read. */
Library library_load(void);

/* Whether the library of these bytes is this one. */
bool library_is_running(const char *bytes, size_t length);

/* Keeps the library of these bytes in the state directory. @returns whether it can be loaded */
bool library_can_run(const char *bytes, size_t length);

/* Starts the process again, as resume_restart does, with the library that library_can_run has kept. */
_Noreturn void library_enter(void);

/* Starts the process again with the library that it was started with last. For a signal handler, too. */
_Noreturn void library_enter_again(void);

/* Finds out how the simulator was started, and opens the record of what a restart has left (resume.h). */
void library_open(void);

#endif
