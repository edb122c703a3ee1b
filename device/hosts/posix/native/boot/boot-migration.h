/*
 * The first start of this boot loader on a state directory: it makes the device's secret, and takes over what the boot
 * loader of version 0.1.0 has left there, which had neither codes nor seals.
 */
#ifndef SVC_BOOT_MIGRATION_H
#define SVC_BOOT_MIGRATION_H

/* Belongs before everything that reads the record or a seal. Exits with status 1 where it fails. */
void boot_migrate(void);

#endif
