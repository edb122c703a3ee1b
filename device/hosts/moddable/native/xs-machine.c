/* The machine, which the SDK has made and runs the promise jobs of. */
#include "heap-figures.h"
#include "machine.h"

xsMachine *machine;

void machine_end_turn(void)
{
	heap_figures_sample(machine);
}
