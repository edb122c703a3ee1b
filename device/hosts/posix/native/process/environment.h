/* Numbers in the environment, by which tests make the simulated board another. */
#ifndef SVC_ENVIRONMENT_H
#define SVC_ENVIRONMENT_H

/* Decimal digits; `otherwise` where it is not set or empty. Exits with status 2 and a message on anything else. */
unsigned long environment_number(const char *name, unsigned long minimum, unsigned long otherwise);

#endif
