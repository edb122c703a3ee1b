/* Two tables by the maker's number of a name (root-names.h). */
#include "root-names.h"

enum { NAMES_LIMIT = 1 << (8 * sizeof(txID)) };

static bool isUsed[NAMES_LIMIT];
static txID numbers[NAMES_LIMIT];

void root_names_use(txID id)
{
	isUsed[id] = true;
}

bool root_names_are_used(txID id)
{
	return isUsed[id];
}

void root_names_forget(void)
{
	c_memset(isUsed, 0, sizeof(isUsed));
}

txID root_names_number(const txMachine *the)
{
	txID next = XS_ID_COUNT;
	for (txID id = 0; id < the->keyIndex; id++)
		numbers[id] = id < XS_ID_COUNT ? id : isUsed[id] ? next++ : XS_NO_ID;
	return next;
}

txID root_name_number(txID id)
{
	return numbers[id];
}
