/* Arguments and results that classes over bytes share: read() of streams (ECMA-419 §11), and bytes of a fixed length. */
#ifndef SVC_BYTE_ARGUMENTS_H
#define SVC_BYTE_ARGUMENTS_H

#include "byte-queue.h"
#include "machine.h"

/*
 * read() returns all bytes and read(count) at most `count` bytes, as an ArrayBuffer; read(buffer) fills the buffer and
 * returns the number of bytes read. All return undefined if the queue is empty. Sets xsResult.
 */
void read_from_queue(xsMachine *the, ByteQueue *queue);

/*
 * The bytes of an argument, valid until the machine allocates. Throws a RangeError unless there are exactly
 * `byteLength` of them.
 */
const uint8_t *bytes_argument(xsMachine *the, xsSlot *argument, xsUnsignedValue byteLength);

#endif
