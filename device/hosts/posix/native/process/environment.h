/* Numbers in environment variables, with which tests configure the simulated board. */
#ifndef SVC_ENVIRONMENT_H
#define SVC_ENVIRONMENT_H

/*
 * Decimal digits; `otherwise` if the variable is unset or empty. Exits with status 2 and a message for anything else.
 */
unsigned long environment_number(const char *name, unsigned long minimum, unsigned long otherwise);

#endif
