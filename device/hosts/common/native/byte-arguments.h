/* What read() and write() of every byte stream share: their arguments and results (ECMA-419 §11). */
#ifndef SVC_BYTE_ARGUMENTS_H
#define SVC_BYTE_ARGUMENTS_H

#include "byte-queue.h"
#include "machine.h"

/*
 * read() takes all there is and read(count) at most that many, as an ArrayBuffer; read(buffer) fills it and
 * returns how many bytes went in. All return undefined when there is nothing. Sets xsResult.
 */
void read_from_queue(xsMachine *the, ByteQueue *queue);

#endif
