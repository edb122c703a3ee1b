/*
 * The SDK's engine and the simulator around it. Machines are void pointers here: xs.h and xsAll.h name them
 * differently.
 */
#ifndef SVC_ENGINE_H
#define SVC_ENGINE_H

/*
 * From now on, calls `onAbort` when the machine aborts; it must not return. `detail` is the exception's text, or
 * empty.
 */
void engine_open(void *machine, void (*onAbort)(const char *reason, const char *detail));

#endif
