/* The machine, which the SDK creates and whose promise jobs it runs. */
#include "heap-figures.h"
#include "machine.h"

xsMachine *machine;

void machine_end_turn(void)
{
	heap_figures_sample(machine);
}
