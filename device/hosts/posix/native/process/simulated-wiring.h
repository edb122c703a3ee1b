/*
 * What is connected to the pins of the simulated console: the lines of `pins.txt` in its state directory
 * (docs/spec/simulated-console.md#pins). They are read at each use, so that a change takes effect at once.
 */
#ifndef SVC_SIMULATED_WIRING_H
#define SVC_SIMULATED_WIRING_H

typedef enum {
	WIRING_ADC,			/* a voltage at a pin, in millivolts */
	WIRING_LEVEL,		/* a level at a pin, 0 or 1 */
	WIRING_WIRE,		/* from a pin, whose number is `which`, to the pin `value` */
	WIRING_LM75,		/* a temperature sensor on the I2C bus: its address, and degrees Celsius */
} WiringKind;

typedef struct {
	WiringKind kind;
	int which;			/* pin or address */
	double value;
} WiringLine;

enum { WIRING_LINES = 64 };

/* Fills the lines, the first ones if there are more. @returns how many; -1 if there is no file. From any thread */
int wiring_read(WiringLine lines[WIRING_LINES]);

#endif
