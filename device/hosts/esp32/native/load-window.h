/* The busy share of a task over the last seconds, from samples of how long it has run. No clock in here. */
#ifndef SVC_LOAD_WINDOW_H
#define SVC_LOAD_WINDOW_H

#include <stdint.h>

enum { LOAD_SAMPLES = 11 };

/* Zeros at first. The counters wrap as 32-bit numbers do. */
typedef struct {
	uint32_t busy[LOAD_SAMPLES], now[LOAD_SAMPLES];
	uint32_t count;			/* of the samples that were ever taken */
} LoadWindow;

/* @param busy how long the task has run @param now the time, in the same unit */
void load_window_add(LoadWindow *window, uint32_t busy, uint32_t now);

/* 0 to 100, from the oldest sample that is kept to the latest; 0 before there are two. */
int load_window_percent(const LoadWindow *window);

#endif
