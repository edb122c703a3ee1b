/*
 * The board's task watchdog: a program that keeps the event loop from turning for three seconds does not recover. A
 * board, which is much slower, waits for five (the default of ESP-IDF's CONFIG_ESP_TASK_WDT_TIMEOUT_S). Only processor
 * time of the thread that opens the watchdog counts: waiting, a debugger, or a busy machine is not a hang.
 *
 *     SVC_SIM_WATCHDOG_MS=n     milliseconds instead of 3000, 1 or more
 */
#ifndef SVC_WATCHDOG_H
#define SVC_WATCHDOG_H

/*
 * From now on calls back, in a signal handler of this thread, when a turn takes too long, and repeatedly until it
 * ends. `turnBeganAt` is of event_loop_now(). The signals of signals.h are blocked meanwhile.
 */
void watchdog_open(void (*onHang)(double turnBeganAt));

/* A turn starts at `now`, of event_loop_now(). */
void watchdog_feed(double now);

#endif
