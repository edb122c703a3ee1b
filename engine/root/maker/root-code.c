/* All functions in the order of their code, which is the order in which they are found (root-code.h). */
#include "root-code.h"

#include "maker.h"
#include "link-code.h"

typedef struct {
	const txByte *from;
	const txByte *end;
	size_t offset;		/* in the code that can run; for outermost functions */
	bool isUsed;
	bool isOutermost;
} Function;

enum { FUNCTIONS_LIMIT = 16 * 1024 };

static Function functions[FUNCTIONS_LIMIT];
static size_t count;

static void add(const txByte *from, size_t byteLength)
{
	if (count == FUNCTIONS_LIMIT) {
		maker_fail("the root has too many functions");
	}
	functions[count++] = (Function){ .from = from, .end = from + byteLength };
}

/* The length of the code that follows an instruction that makes a function; 0 for other instructions. */
static size_t inner_length(const txByte *at)
{
	const txU1 *operand = (const txU1 *)at + 1;
	switch (*(const txU1 *)at) {
	case XS_CODE_CODE_ARCHIVE_1: return operand[0];
	case XS_CODE_CODE_ARCHIVE_2: return operand[0] | operand[1] << 8;
	case XS_CODE_CODE_ARCHIVE_4: return operand[0] | operand[1] << 8 | operand[2] << 16 | (size_t)operand[3] << 24;
	default: return 0;
	}
}

static int compare(const void *left, const void *right)
{
	const Function *a = left, *b = right;
	return (a->from > b->from) - (a->from < b->from);
}

void root_code_add(const txByte *code, txSize byteLength)
{
	const txByte *const end = code + byteLength;
	add(code, byteLength);
	for (const txByte *at = code; at < end; at += instruction_length(at)) {
		const size_t inner = inner_length(at);
		if (inner > 0)
			add(at + instruction_length(at), inner);
	}
	c_qsort(functions, count, sizeof(Function), compare);
}

/* The last function that begins at or before the address; NULL if there is none. */
static Function *function_before(const void *address)
{
	size_t low = 0, high = count;
	while (low < high) {
		const size_t middle = (low + high) / 2;
		if (functions[middle].from <= (const txByte *)address)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 ? &functions[low - 1] : NULL;
}

bool root_code_use(const txByte *address)
{
	Function *function = function_before(address);
	if (!function || function->from != address)
		return false;
	function->isUsed = true;
	return true;
}

void root_code_forget(void)
{
	for (Function *function = functions; function < functions + count; function++)
		function->isUsed = false;
}

/* Marks used functions that no other used function contains. */
size_t root_code_length(void)
{
	size_t offset = 0;
	const txByte *end = NULL;
	for (Function *function = functions; function < functions + count; function++) {
		function->isOutermost = function->isUsed && function->from >= end;
		if (function->isOutermost) {
			function->offset = offset;
			offset += function->end - function->from;
			end = function->end;
		}
	}
	return offset;
}

long root_code_offset(const void *address)
{
	const txByte *const at = address;
	for (Function *function = function_before(address); function && function >= functions; function--) {
		if (function->isOutermost && at < function->end)
			return (long)(function->offset + (at - function->from));
	}
	return -1;
}

static void names_of(const Function *function, void (*visit)(txID id))
{
	for (const txByte *at = function->from; at < function->end; at += instruction_length(at)) {
		if (gxCodeSizes[*(const txU1 *)at] == 0) {
			txID id;
			c_memcpy(&id, at + 1, sizeof(id));
			visit(id);
		}
	}
}

void root_code_names(void (*visit)(txID id))
{
	for (Function *function = functions; function < functions + count; function++) {
		if (function->isUsed)
			names_of(function, visit);
	}
}

static void renumber(txByte *code, size_t byteLength, txID (*number)(txID id))
{
	for (txByte *at = code; at < code + byteLength; at += instruction_length(at)) {
		if (gxCodeSizes[*(const txU1 *)at] == 0) {
			txID id;
			c_memcpy(&id, at + 1, sizeof(id));
			id = number(id);
			c_memcpy(at + 1, &id, sizeof(id));
		}
	}
}

void root_code_write(uint8_t *to, txID (*number)(txID id))
{
	for (const Function *function = functions; function < functions + count; function++) {
		if (!function->isOutermost)
			continue;
		const size_t byteLength = function->end - function->from;
		c_memcpy(to + function->offset, function->from, byteLength);
		renumber((txByte *)to + function->offset, byteLength, number);
	}
}
