/* The I2C bus for apps (i2c-bus.h), on two of the pins that are theirs otherwise. */
#ifndef SVC_BOARD_I2C_H
#define SVC_BOARD_I2C_H

#include <stdbool.h>

/* Whether the bus has the pin: from its first use on. */
bool board_i2c_has_pin(int pin);

#endif
