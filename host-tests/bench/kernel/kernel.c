/* The work of kernel.h, without a library. Each part hands its results to a checksum, so that none is left out. */
#include "kernel.h"

#include <stdint.h>

enum { NODES = 200, PASSES = 20, SIDE = 24, REPEATS = 40, STATES = 8 };

static uint16_t checksum(uint32_t value, uint16_t crc)
{
	for (int bit = 0; bit < 32; bit++) {
		const uint32_t isOdd = ((value >> bit) & 1) ^ (crc & 1);
		crc = (uint16_t)((crc >> 1) ^ (isOdd ? 0xa001 : 0));
	}
	return crc;
}

typedef struct Node {
	struct Node *next;
	int16_t data, index;
} Node;

static Node nodes[NODES];

__attribute__((noinline)) static uint16_t sort_list(uint32_t seed)
{
	Node *head = 0;
	for (int index = 0; index < NODES; index++) {
		nodes[index] = (Node){ .next = head, .data = (int16_t)(seed * (uint32_t)index * 7919), .index = (int16_t)index };
		head = &nodes[index];
	}
	for (int pass = 0; pass < PASSES; pass++) {
		for (Node **link = &head; (*link)->next; link = &(*link)->next) {
			Node *first = *link, *second = first->next;
			if (first->data > second->data) {
				first->next = second->next;
				second->next = first;
				*link = second;
			}
		}
	}
	uint16_t crc = 0;
	for (Node *node = head; node; node = node->next)
		crc = checksum((uint32_t)(node->data * 31 + node->index), crc);
	return crc;
}

static int32_t left[SIDE * SIDE], right[SIDE * SIDE], product[SIDE * SIDE];

__attribute__((noinline)) static uint16_t multiply(uint32_t seed)
{
	for (int index = 0; index < SIDE * SIDE; index++) {
		left[index] = (int32_t)(seed * (uint32_t)index) & 0xff;
		right[index] = (int32_t)(seed + (uint32_t)index * 3) & 0xff;
	}
	for (int row = 0; row < SIDE; row++) {
		for (int column = 0; column < SIDE; column++) {
			int32_t sum = 0;
			for (int index = 0; index < SIDE; index++)
				sum += left[row * SIDE + index] * right[index * SIDE + column];
			product[row * SIDE + column] = sum;
		}
	}
	uint16_t crc = 0;
	for (int index = 0; index < SIDE * SIDE; index += 16)
		crc = checksum((uint32_t)product[index], crc);
	return crc;
}

typedef enum { BEGIN, DIGITS, SIGN, FRACTION, WORD, EXPONENT, EXPONENT_SIGN } State;

static State after(State state, char byte)
{
	const int isDigit = byte >= '0' && byte <= '9';
	switch (state) {
	case BEGIN: return isDigit ? DIGITS : byte == '+' || byte == '-' ? SIGN : byte == '.' ? FRACTION : WORD;
	case DIGITS: return byte == '.' ? FRACTION : byte == ',' ? BEGIN : isDigit ? DIGITS : WORD;
	case SIGN: return isDigit ? DIGITS : WORD;
	case FRACTION: return byte == 'e' || byte == 'E' ? EXPONENT : byte == ',' ? BEGIN : FRACTION;
	case WORD: return byte == ',' ? BEGIN : WORD;
	case EXPONENT: return byte == '-' || byte == '+' ? EXPONENT_SIGN : DIGITS;
	default: return DIGITS;
	}
}

__attribute__((noinline)) static uint16_t read_text(uint32_t seed)
{
	static const char TEXT[] = "5012,-3.14,0x7f,abc,+1e5,99,T,1.0e-3,";
	uint32_t counts[STATES] = { 0 };
	State state = BEGIN;
	for (int repeat = 0; repeat < REPEATS; repeat++) {
		for (const char *at = TEXT; *at; at++) {
			state = after(state, (char)(*at ^ (char)(seed & 1)));
			counts[state]++;
		}
	}
	uint16_t crc = 0;
	for (int index = 0; index < STATES; index++)
		crc = checksum(counts[index], crc);
	return crc;
}

int kernel(int rounds)
{
	uint16_t crc = 0;
	for (int round = 0; round < rounds; round++)
		crc ^= sort_list((uint32_t)round + 1) ^ multiply((uint32_t)round + 1) ^ read_text((uint32_t)round);
	return crc;
}
