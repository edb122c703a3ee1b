/*
 * What the root is linked from (root-linker.h): pieces of the machine that made it, found by their address there. A piece
 * is a slot, or a block of bytes that slots refer to.
 */
#ifndef SVC_ROOT_PIECES_H
#define SVC_ROOT_PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
	PIECE_SLOT,
	PIECE_NAME,			/* a slot of the table of names, whose `next` is another name */
	PIECE_ITEMS,		/* a chunk with the items of an array */
	PIECE_POINTERS,		/* a chunk with pointers to slots */
	PIECE_BYTES,		/* any other chunk */
	PIECE_TEXT,			/* ends with 0; has no header */
} PieceKind;

typedef struct Piece Piece;
struct Piece {
	const void *from;	/* address in the machine that made it */
	Piece *same;		/* the piece that replaces it; itself otherwise */
	uint32_t byteLength;
	uint32_t address;	/* in flash; 0 until it is placed */
	PieceKind kind;
	bool isEnvironment;	/* an instance that holds a function's variables */
};

/* Adds the piece, or returns the one with that address. Pieces never move. */
Piece *pieces_add(const void *from, PieceKind kind, size_t byteLength);

/* NULL if there is none. */
Piece *pieces_find(const void *from);

/* In the order in which they were added. */
Piece *pieces_at(size_t index);
size_t pieces_count(void);

void pieces_clear(void);

#endif
