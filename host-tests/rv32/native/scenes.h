/*
 * What a program sees of boards/rv32/kernel's threads and clock, in scenes. Each says a line for each thing that happens in
 * it, in the order in which it does.
 */
#ifndef SVC_SCENES_H
#define SVC_SCENES_H

#include <pthread.h>
#include <stdint.h>

enum { MILLISECOND = 1000 * 1000 };		/* of the nanoseconds in which time is told */

extern pthread_mutex_t mutex;
extern pthread_cond_t condition;

__attribute__((format(printf, 1, 2)))
void say(const char *format, ...);

/* They abort where they cannot. */
pthread_t start(void *(*run)(void *), const void *context);
void *join(pthread_t thread);

struct timespec time_at(uint64_t nanoseconds);
uint64_t in_milliseconds(int milliseconds);

/* Waits for a condition that is never signalled, so only the time ends it. @returns pthread_cond_timedwait()'s error */
int wait_until(uint64_t at);
void pause_shortly(void);

/* Until none of the others can run. */
void run_all(void);

/* switch-scenes.c */
void show_switches(void);
void show_rounds(void);
void show_conditions(void);
void show_mutexes(void);

/* time-scenes.c */
void show_times(void);
void show_order(void);
void show_clock(void);

/* life-scenes.c */
void show_results(void);
void show_memory(void);
void show_locals(void);
void show_registers(void);
void show_stacks(void);

#endif
