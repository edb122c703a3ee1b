/* What the engine needs of the platform beyond C11, POSIX threads and XS. Each host implements it. */
#ifndef SVC_GUEST_PLATFORM_H
#define SVC_GUEST_PLATFORM_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "xsmc.h"

/*
 * CONFIG_SVC_WASM_APP_STACK_SIZE counts in the board's frames. Pointers of 64 bits make frames twice as
 * large; instrumented code needs more still.
 */
#if defined(__SANITIZE_ADDRESS__)
enum { GUEST_STACK_SCALE = 4 * sizeof(void *) / 4 };
#else
enum { GUEST_STACK_SCALE = sizeof(void *) / 4 };
#endif

/* Milliseconds since the console started. From any thread. */
int64_t guest_platform_uptime_ms(void);

/* Fills from a cryptographic source. From any thread. @returns false where there is none */
bool guest_platform_random(void *bytes, size_t length);

/* Starts a thread with a stack of at least that size. @returns 0 or an error of errno.h */
int guest_platform_start_thread(pthread_t *thread, size_t stackBytes, void *(*run)(void *), void *context);

/* Called first on that thread: it takes the name, and from now on the management machine goes before it. */
void guest_platform_enter_thread(const char *name);

/*
 * A mutex that the management machine and an app contend for. An app that unlocks and locks again without an
 * end must not keep the machine waiting: the one that has waited, or has the higher priority, is next.
 */
void guest_platform_init_mutex(pthread_mutex_t *mutex);

/* Calls back on the thread of the management machine, soon. From any thread; never waits. */
void guest_platform_post(void (*callback)(void *context), void *context);

/* Belongs after every call into the machine that `guest_platform_post` led to. */
void guest_platform_end_turn(xsMachine *the);

#endif
