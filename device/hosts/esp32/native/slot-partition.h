/* The slot that is not running, as a partition. */
#ifndef SVC_SLOT_PARTITION_H
#define SVC_SLOT_PARTITION_H

#include "esp_partition.h"

const esp_partition_t *slot_partition_other(void);

#endif
