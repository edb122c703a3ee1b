/* Build options that C reads: the value on the command line, else the default of the table of options. */
#ifndef SVC_CONFIG_OPTIONS_H
#define SVC_CONFIG_OPTIONS_H

/* An integer option of device/services/config/options.ts; `name` is its key there. */
typedef struct {
	const char *name;
	long value;				/* the default */
	long minimum;
	long maximum;
} IntegerOption;

/* Generated from that table; the last row has no name. */
extern const IntegerOption integerOptions[];

/* Returns the default if the command line's value is invalid, which the program rejects. */
long config_integer(const char *name);

#endif
