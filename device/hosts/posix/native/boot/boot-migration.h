/*
 * The first start of this boot loader with a state directory: creates the device secret and migrates the state of
 * version 0.1.0, which had neither codes nor seals.
 */
#ifndef SVC_BOOT_MIGRATION_H
#define SVC_BOOT_MIGRATION_H

/* Call it before anything reads the record or a seal. Exits with status 1 on failure. */
void boot_migrate(void);

#endif
