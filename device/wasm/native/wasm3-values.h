/*
 * What wasm3 0.5.0 computes wrongly, done again: where operands stand for a local, and where values are handed
 * to a label. Included by wasm3-interpreter.c before m3_compile.c, whose own functions get other names, and
 * after it, for the functions that stand in for them.
 *
 * wasm3 calls each of these functions with `o` as its first argument, and defines it with `IM3Compilation o` as
 * its first parameter. So a macro that pastes its name and that first word tells a call from the definition.
 *
 *     f(o, …)                 ->  f_o, …)               ->  ours(o, …)
 *     f(IM3Compilation o, …)  ->  f_IM3Compilation o, …)  ->  wasm3_f(IM3Compilation o, …)
 */
#ifndef SVC_WASM3_VALUES_H
#define SVC_WASM3_VALUES_H

/* Operands that stand for a local move to one slot of their own; of a 64-bit value both halves are counted. */
static M3Result share_slots(IM3Compilation o, u8 type, u16 slot);
#define IncrementSlotUsageCount(FIRST, ...) IncrementSlotUsageCount_##FIRST, __VA_ARGS__)
#define IncrementSlotUsageCount_o share_slots(o, GetStackTypeFromBottom(o, i)
#define IncrementSlotUsageCount_IM3Compilation wasm3_IncrementSlotUsageCount(IM3Compilation

/* A block's parameters may share their slots with other operands. */
static void take_slots(IM3Compilation o, u16 slot, u8 type);
#define MarkSlotsAllocatedByType(FIRST, ...) MarkSlotsAllocatedByType_##FIRST, __VA_ARGS__)
#define MarkSlotsAllocatedByType_o take_slots(o
#define MarkSlotsAllocatedByType_IM3Compilation wasm3_MarkSlotsAllocatedByType(IM3Compilation

/* A loop writes its parameters in each round: neither to a constant nor to what another operand stands for. */
static bool leave_shared_slot(IM3Compilation o, u8 type, u16 slot);
#define IsConstantSlot(FIRST, ...) IsConstantSlot_##FIRST, __VA_ARGS__)
#define IsConstantSlot_o leave_shared_slot(o, type
#define IsConstantSlot_IM3Compilation wasm3_IsConstantSlot(IM3Compilation

/* Values change places on their way to a label, and a float may stay in its register. */
static M3Result hand_over(IM3Compilation o, IM3CompilationScope target, bool isBranch);
#define ResolveBlockResults(FIRST, ...) ResolveBlockResults_##FIRST, __VA_ARGS__)
#define ResolveBlockResults_o hand_over(o
#define ResolveBlockResults_IM3Compilation wasm3_ResolveBlockResults(IM3Compilation

#else

static M3Result share_slots(IM3Compilation o, u8 type, u16 slot)
{
	M3Result result = m3Err_none;
	for (u16 half = 0; !result && half < GetTypeNumSlots(type); half++)
		result = wasm3_IncrementSlotUsageCount(o, slot + half);
	return result;
}

static void take_slots(IM3Compilation o, u16 slot, u8 type)
{
	for (u16 half = 0; half < GetTypeNumSlots(type); half++) {
		if (o->m3Slots[slot + half] == 0)
			MarkSlotAllocated(o, slot + half);
		else
			o->m3Slots[slot + half]++;		// operands are at most 255 (limits.ts)
	}
}

/* @returns whether the operand needs a slot of its own, having counted it out of a shared one */
static bool leave_shared_slot(IM3Compilation o, u8 type, u16 slot)
{
	if (wasm3_IsConstantSlot(o, slot))
		return true;
	if (slot < o->slotFirstDynamicIndex || o->m3Slots[slot] < 2)
		return false;
	DeallocateSlot(o, slot, type);
	return true;
}

static bool overlap(u16 one, u8 oneType, u16 other, u8 otherType)
{
	return one < other + GetTypeNumSlots(otherType) && other < one + GetTypeNumSlots(oneType);
}

/*
 * Whether writing the values from `start` up to `inSlots` to their places, one after the other, would overwrite
 * one up to `end` that is still to be read.
 */
static bool do_collide(IM3Compilation o, u16 places, u16 start, u16 inSlots, u16 end)
{
	for (u16 index = start; index < inSlots; index++) {
		const u16 place = places + (index - start);
		for (u16 later = index + 1; later < end; later++) {
			if (!IsStackIndexInRegister(o, later)
				&& overlap(GetSlotForStackIndex(o, place), GetStackTypeFromBottom(o, place),
					GetSlotForStackIndex(o, later), GetStackTypeFromBottom(o, later)))
				return true;
		}
	}
	return false;
}

/* Copies the values that are in slots beyond all others, and has the operands stand for the copies. */
static M3Result put_aside(IM3Compilation o, u16 start, u16 end)
{
	u16 slot = o->maxStackSlots;
	AlignSlotToType(&slot, c_m3Type_i64);
	for (u16 index = start; index < end; index++) {
		if (IsStackIndexInRegister(o, index))
			continue;
		if (slot + 2 >= d_m3MaxFunctionSlots)
			return m3Err_functionStackOverflow;
		M3Result result = CopyStackIndexToSlot(o, slot, index);
		if (result)
			return result;
		o->wasmStack[index] = slot;
		slot += 2;
		TouchSlot(o, slot - 1);
	}
	return m3Err_none;
}

static M3Result copy_to_places(IM3Compilation o, u16 places, u16 start, u16 end)
{
	M3Result result = m3Err_none;
	for (u16 index = start; !result && index < end; index++) {
		const u16 slot = GetSlotForStackIndex(o, places + (index - start));
		if (slot != GetSlotForStackIndex(o, index))
			result = CopyStackIndexToSlot(o, slot, index);
	}
	return result;
}

/* The last value goes to its register where it is a float, for that is where the block's end looks for it. */
static M3Result copy_to_register(IM3Compilation o)
{
	if (!IsStackTopInSlot(o))
		return m3Err_none;
	M3Result result = EmitOp(o, c_setRegisterOps[GetStackTopType(o)]);
	if (!result)
		EmitSlotOffset(o, GetStackTopSlotNumber(o));
	return result;
}

/* Parameters of a loop (limits.ts); there are fewer results. */
enum { MAXIMUM_VALUES = 128 };

static M3Result hand_over(IM3Compilation o, IM3CompilationScope target, bool isBranch)
{
	const bool isLoop = target->opcode == c_waOp_loop && isBranch;
	const u16 parameters = GetFuncTypeNumParams(target->type);
	const u16 count = isLoop ? parameters : GetFuncTypeNumResults(target->type);
	const u16 places = target->exitStackIndex + (isLoop ? 0 : parameters);
	const u16 height = GetNumBlockValuesOnStack(o);
	if (isBranch ? height < count : height != count)
		return m3Err_typeCountMismatch;
	if (count == 0)
		return m3Err_none;
	const u16 start = o->stackIndex - count;
	const bool isLastInRegister = !isLoop && IsFpType(GetStackTopType(o));
	const u16 inSlots = o->stackIndex - isLastInRegister;
	u16 slots[MAXIMUM_VALUES];
	if (count > MAXIMUM_VALUES)
		return m3Err_tooManyArgsRets;
	memcpy(slots, &o->wasmStack[start], count * sizeof(u16));
	M3Result result = do_collide(o, places, start, inSlots, o->stackIndex)
		? put_aside(o, start, o->stackIndex) : m3Err_none;
	if (!result)
		result = copy_to_places(o, places, start, inSlots);
	if (!result && isLastInRegister)
		result = copy_to_register(o);
	memcpy(&o->wasmStack[start], slots, count * sizeof(u16));
	return result;
}

#endif
