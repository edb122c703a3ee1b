/* Build options that C reads too: the value on the command line, else the default in the one table of options. */
#ifndef SVC_CONFIG_OPTIONS_H
#define SVC_CONFIG_OPTIONS_H

/* An integer of device/services/config/options.ts, whose name in there is the table's key in here. */
typedef struct {
	const char *name;
	long value;				/* the default */
	long minimum;
	long maximum;
} IntegerOption;

/* Generated from that table; ends with a row that has no name. */
extern const IntegerOption integerOptions[];

/* The default also where the command line's value is invalid: the program refuses it. */
long config_integer(const char *name);

#endif
