/*
 * A request of the app's that a service answers. The app waits, so its memory neither moves nor changes, and
 * the VM reads from it and writes to it in place; the bounds were checked when the call was made.
 */
#include "guest.h"
#include "interruption.h"

const char *guest_request(Guest *guest, const AbiFunction *function, AbiCall *call)
{
	pthread_mutex_lock(&guest->mutex);
	guest->requested = function;
	guest->call = call;
	guest->requestNumber++;
	guest->isRequestTold = false;
	guest_unlock_and_wake(guest);
	pthread_mutex_lock(&guest->mutex);
	while (guest->call && !guest->isStopping)
		pthread_cond_wait(&guest->changed, &guest->mutex);
	guest->call = NULL;
	bool isStopping = guest->isStopping;
	pthread_mutex_unlock(&guest->mutex);
	return isStopping ? m3Err_trapAbort : NULL;
}
