/* The keys of the keyboard and of a gamepad that are the console's buttons. Knows SDL's names alone, not SDL. */
#ifndef SVC_KEY_TABLE_H
#define SVC_KEY_TABLE_H

#include <stdint.h>

enum { KEYS_OF_ROW = 2 };

typedef struct {
	const char *button;				/* for the documentation */
	uint16_t buttons;				/* bits as in pins_buttons() */
	const char *keys[KEYS_OF_ROW];	/* names of SDL_GetKeyFromName; NULL: no second one */
	const char *gamepad;			/* name of SDL_GameControllerGetButtonFromString */
} KeyRow;

enum { KEY_ROWS = 11 };
extern const KeyRow keyTable[KEY_ROWS];

/* What is held down, a bit for each key of each row, and one for its gamepad button. */
typedef uint64_t HeldKeys;

/* The bit of key `index` of a row; KEYS_OF_ROW is the gamepad's. */
HeldKeys key_table_bit(int row, int index);

/* The buttons that are down: one stays down until each of its keys is up. */
uint16_t key_table_buttons(HeldKeys held);

/*
 * The directions of a gamepad's stick, whose axes are -32768 to 32767, right and down above 0. The middle half of each is
 * none.
 */
uint16_t key_table_stick(int x, int y);

#endif
