/* The busy share of a task over the last seconds, from samples of its run time. Uses no clock. */
#ifndef SVC_LOAD_WINDOW_H
#define SVC_LOAD_WINDOW_H

#include <stdint.h>

enum { LOAD_SAMPLES = 11 };

/* Initially zeros. The counters wrap as 32-bit numbers do. */
typedef struct {
	uint32_t busy[LOAD_SAMPLES], now[LOAD_SAMPLES];
	uint32_t count;			/* of all samples so far */
} LoadWindow;

/*
 * @param busy run time of the task
 * @param now the time, in the same unit
 */
void load_window_add(LoadWindow *window, uint32_t busy, uint32_t now);

/* In percent, from the oldest sample kept to the latest; 0 before there are two. */
int load_window_percent(const LoadWindow *window);

#endif
