/*
 * The machine's task under the Moddable SDK, for tests: tasks of FreeRTOS are threads, the caller's is the machine's, and the
 * SDK's queue has room for one message. poll() and close() are watched (linked with --wrap): a descriptor that is closed
 * while it is polled is a failure, since lwIP could give its number to another socket meanwhile.
 */
#ifndef TEST_MACHINE_TASK_H
#define TEST_MACHINE_TASK_H

#include <stdbool.h>

/* Prints a violation. */
void fail(const char *what, int number);
extern int failures;

/* Delivers one message, as the SDK's loop does. @returns false if none came for so long */
bool service(int timeoutMs);

/* Delivers messages until `isDone`. A wait that takes a minute ends the program. */
void service_until(bool (*isDone)(void));

/* The queue is full of messages of the SDK's own; its senders wait, or are refused. */
void set_full(bool isFull, bool isRefusing);
void wait_for_refusal(void);

/* How many calls of poll() have ended, and whether one waits. */
int polls(void);
void wait_for_poller(void);

/* The next calls of poll() fail for want of memory. */
void fail_polls(int count);

#endif
