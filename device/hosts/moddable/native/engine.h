/* The SDK's engine and the simulator around it. Machines are void here: xs.h and xsAll.h name them differently. */
#ifndef SVC_ENGINE_H
#define SVC_ENGINE_H

/*
 * From here on calls `onAbort` where the machine aborts, which has no way back. `detail` is the exception's text,
 * or empty.
 */
void engine_open(void *machine, void (*onAbort)(const char *reason, const char *detail));

#endif
