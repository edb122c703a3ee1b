/*
 * The frames of an image for Arm, for a trap. Thumb code keeps no frame that tells where its caller's is, so the tables are
 * read that say of each function how it is left (`.ARM.exidx`; Exception Handling ABI for the Arm Architecture, sections 6, 7
 * and 10.3). What comes of it is a chain of frames as native-frame.h has them.
 */
#include "wasm-rt.h"

enum { SP = 13, LR = 14, PC = 15, REGISTERS = 16, FIRST_SAVED = 4, LAST_SAVED = 11 };

/* More than a console shows, since functions of the image that are not the app's are among them. */
enum { FRAMES = 40 };

/* How functions end (section 6). Both words are relative to themselves, but where the second is the instructions. */
typedef struct {
	uint32_t function;
	uint32_t instructions;
} TableEntry;

enum { CANNOT_UNWIND = 1 };
static const uint32_t IS_COMPACT = 1u << 31;

/* The linker's script names them. In the order of the functions, the last of which is none: an entry that ends the code. */
extern const TableEntry imageFrameTable[], imageFrameTableEnd[];

/* Bytes that say how registers are put back (section 10.3), from the highest of a word. */
typedef struct {
	uint32_t word;
	uint32_t byteCount;			/* that are left of the word */
	const uint32_t *next;
	uint32_t wordCount;			/* from `next` */
} Instructions;

enum { FINISH = 0xb0, POP_LOW = 0xb1, RAISE_FAR = 0xb2 };

typedef struct {
	const void *caller;
	uintptr_t returnAddress;
} Frame;

static const void *pointed_to(const uint32_t *word)
{
	return (const uint8_t *)word + ((int32_t)(*word << 1) >> 1);
}

static const TableEntry *entry_of(uintptr_t address)
{
	const TableEntry *after = imageFrameTableEnd;
	while (after > imageFrameTable && (uintptr_t)pointed_to(&after[-1].function) > address)
		after--;
	return after > imageFrameTable ? after - 1 : 0;
}

/* Those of the three compact models, which compilers use for C. @returns false for a function that cannot be left so */
static bool begin(Instructions *instructions, const TableEntry *entry)
{
	if (!entry || entry->instructions == CANNOT_UNWIND)
		return false;
	const bool isInline = (entry->instructions & IS_COMPACT) != 0;
	const uint32_t *words = isInline ? &entry->instructions : pointed_to(&entry->instructions);
	const uint32_t head = *words;
	const uint32_t model = head >> 24 & 15;
	if (!(head & IS_COMPACT) || model > 2)
		return false;
	*instructions = model == 0 ? (Instructions){ head << 8, 3, 0, 0 } : (Instructions){ head << 16, 2, words + 1, head >> 16 & 255 };
	return true;
}

static uint32_t next_byte(Instructions *instructions)
{
	if (instructions->byteCount == 0) {
		if (instructions->wordCount == 0)
			return FINISH;
		instructions->wordCount--;
		instructions->word = *instructions->next++;
		instructions->byteCount = 4;
	}
	const uint32_t byte = instructions->word >> 24;
	instructions->word <<= 8;
	instructions->byteCount--;
	return byte;
}

static uint32_t next_uleb128(Instructions *instructions)
{
	uint32_t value = 0, byte = 0x80;
	for (uint32_t shift = 0; byte & 0x80 && shift < 32; shift += 7) {
		byte = next_byte(instructions);
		value |= (byte & 0x7f) << shift;
	}
	return value;
}

/* @returns false for none, which says that the function cannot be left */
static bool pop(uint32_t *registers, uint32_t mask)
{
	const uint32_t *from = (const uint32_t *)registers[SP];
	for (uint32_t index = 0; index < REGISTERS; index++) {
		if (mask >> index & 1)
			registers[index] = *from++;
	}
	registers[SP] = (uint32_t)from;
	return mask != 0;
}

/* @returns false for an instruction that C compiled for Thumb without registers for numbers has not */
static bool execute(uint32_t *registers, Instructions *instructions, uint32_t byte)
{
	if (byte < 0x40)
		registers[SP] += (byte << 2) + 4;
	else if (byte < 0x80)
		registers[SP] -= ((byte & 0x3f) << 2) + 4;
	else if (byte < 0x90)
		return pop(registers, ((byte & 15) << 8 | next_byte(instructions)) << FIRST_SAVED);
	else if (byte < 0xa0)
		registers[SP] = registers[byte & 15];
	else if (byte < 0xb0)
		return pop(registers, ((2u << (byte & 7)) - 1) << FIRST_SAVED | (byte & 8 ? 1u << LR : 0));
	else if (byte == POP_LOW)
		return pop(registers, next_byte(instructions) & 15);
	else if (byte == RAISE_FAR)
		registers[SP] += 0x204 + (next_uleb128(instructions) << 2);
	else
		return false;
	return true;
}

/* Makes the registers those of the caller. @returns false for a function that is not the image's */
static bool leave(uint32_t *registers)
{
	Instructions instructions;
	const uintptr_t ofCall = registers[PC] - 1;		// what is returned to may be another function already
	if (!begin(&instructions, entry_of(ofCall)))
		return false;
	registers[PC] = 0;
	for (uint32_t byte; (byte = next_byte(&instructions)) != FINISH;) {
		if (!execute(registers, &instructions, byte))
			return false;
	}
	const uint32_t returned = registers[PC] ? registers[PC] : registers[LR];
	registers[PC] = returned & ~1u;					// without the bit that says that it is Thumb code
	return true;
}

/* Writes the frames from the innermost one; the last has no caller. */
static void note_frames(Frame *frames, uint32_t *registers)
{
	uint32_t count = 0;
	do {
		frames[count] = (Frame){ &frames[count + 1], registers[PC] };
		count++;
	} while (count < FRAMES && leave(registers));
	frames[count - 1].caller = 0;
}

/* @param saved R4 to R11 and LR of who calls wasm_rt_trap(), whose stack is what follows */
static void __attribute__((used, noinline, cold)) trap_with(wasm_rt_trap_t trap, const uint32_t *saved)
{
	enum { SAVED_LR = LAST_SAVED - FIRST_SAVED + 1, SAVED = SAVED_LR + 1 };
	Frame frames[FRAMES];
	uint32_t registers[REGISTERS];
	for (uint32_t index = FIRST_SAVED; index <= LAST_SAVED; index++)
		registers[index] = saved[index - FIRST_SAVED];
	registers[SP] = (uint32_t)(saved + SAVED);
	registers[PC] = saved[SAVED_LR] & ~1u;
	note_frames(frames, registers);
	image_end((NativeTrap)trap, (const void *)frames);
}

void __attribute__((naked)) wasm_rt_trap(wasm_rt_trap_t trap)
{
	/* R3 keeps the stack at a multiple of eight (AAPCS, section 6.2.1.2). */
	__asm__("push {r3-r11, lr}\n\tadd r1, sp, #4\n\tbl trap_with");
}

/* What the compiler's tables name, for languages other than C. Nothing calls it. */
void __aeabi_unwind_cpp_pr0(void) {}
void __aeabi_unwind_cpp_pr1(void) {}
