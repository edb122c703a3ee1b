/*
 * Stands in for DTR on a port that has none (docs/adr/0031-a-port-without-dtr.md): whether a program on the other side
 * has the port open.
 *
 *              a byte arrives
 *     closed ------------------> open
 *        ^                         |
 *        '-------------------------'
 *          a break, or half a line that does not go on
 *
 * All functions are called on one task. Times are milliseconds of any monotonic clock.
 */
#ifndef SVC_UART_OPENER_H
#define SVC_UART_OPENER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A program sends a line at once, and the longest takes 0.5 s at 115200 baud. People who type a line take longer. */
static const double HALF_LINE_LIMIT_MS = 10000;

typedef struct {
	bool isOpen;
	bool isWithinLine;		/* the last byte was no line feed */
	double receivedAtMs;	/* of the last byte */
} UartOpener;

/*
 * Bytes wait to be read.
 * @returns whether that opens the port
 */
bool uart_opener_arrived(UartOpener *opener, double nowMs);

/* These bytes were read. */
void uart_opener_read(UartOpener *opener, const uint8_t *bytes, size_t length, double nowMs);

/* @returns whether the break closes the port */
bool uart_opener_break(UartOpener *opener);

/* @returns whether that much silence closes the port */
bool uart_opener_expired(UartOpener *opener, double nowMs);

#endif
