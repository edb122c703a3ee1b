/*
 * The board's task watchdog: a program that keeps the event loop from turning for three seconds is not going to
 * come back. A board waits for five (the default of ESP-IDF's CONFIG_ESP_TASK_WDT_TIMEOUT_S), and is much slower.
 * Counted is the processor time of the thread that has opened it: neither waiting, nor a debugger, nor a machine
 * with better things to do is a hang.
 *
 *     SVC_SIM_WATCHDOG_MS=n     milliseconds instead of 3000, 1 or more
 */
#ifndef SVC_WATCHDOG_H
#define SVC_WATCHDOG_H

/*
 * From here on calls back, in a signal handler of this thread, once a turn has lasted too long, and again every
 * now and then until it ends. `turnBeganAt` is of event_loop_now(). The signals of signals.h wait meanwhile.
 */
void watchdog_open(void (*onHang)(double turnBeganAt));

/* A turn begins at `now`, of event_loop_now(). */
void watchdog_feed(double now);

#endif
