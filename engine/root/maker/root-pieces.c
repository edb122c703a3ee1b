/* A table of pieces, hashed by address (root-pieces.h). It is used once, at build time: it has room for any program. */
#include "root-pieces.h"

#include <stdio.h>
#include <string.h>

#include "maker.h"

enum { TABLE_LENGTH = 1 << 18, PIECES_LIMIT = TABLE_LENGTH / 2 };

static Piece pieces[PIECES_LIMIT];
static Piece *table[TABLE_LENGTH];
static size_t count;

static Piece **place_of(const void *from)
{
	size_t at = ((uintptr_t)from >> 2) * 2654435761u % TABLE_LENGTH;
	while (table[at] && table[at]->from != from)
		at = (at + 1) % TABLE_LENGTH;
	return &table[at];
}

Piece *pieces_find(const void *from)
{
	return *place_of(from);
}

Piece *pieces_add(const void *from, PieceKind kind, size_t byteLength)
{
	Piece **place = place_of(from);
	if (*place)
		return *place;
	if (count == PIECES_LIMIT) {
		maker_fail("the root has too many pieces");
	}
	Piece *piece = &pieces[count++];
	*piece = (Piece){ .from = from, .same = piece, .byteLength = byteLength, .kind = kind };
	*place = piece;
	return piece;
}

Piece *pieces_at(size_t index)
{
	return &pieces[index];
}

size_t pieces_count(void)
{
	return count;
}

void pieces_clear(void)
{
	memset(table, 0, sizeof(table));
	count = 0;
}
