/* Functions of POSIX that some releases of ESP-IDF lack. */
#include <pthread.h>

/* Attributes of condition variables hold nothing there. */
__attribute__((weak)) int pthread_condattr_destroy(pthread_condattr_t *attributes)
{
	(void)attributes;
	return 0;
}
