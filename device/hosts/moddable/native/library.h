/* The running firmware: the library that the simulator has loaded. */
#ifndef SVC_LIBRARY_H
#define SVC_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
	uint8_t *bytes;			/* from malloc */
	size_t length;
} Library;

/* The file that this library is loaded from. Exits with status 1 and a message if it cannot be read. */
Library library_load(void);

/* Whether these are the bytes of the running library. */
bool library_is_running(const char *bytes, size_t length);

/*
 * Stores the library in the state directory.
 * @returns whether it can be loaded
 */
bool library_can_run(const char *bytes, size_t length);

/* Starts the process again, as resume_restart does, with the library that library_can_run stored. */
_Noreturn void library_enter(void);

/* Starts the process again with the library that it was last started with. Async-signal-safe. */
_Noreturn void library_restart(void);

/* Determines how the simulator was started, and opens the record that a restart has left (resume.h). */
void library_open(void);

#endif
