/*
 * Functions that the compiler calls where the processor has no instruction, which its library has for other calls only
 * (emulation.ts). Named as GCC's internals name them.
 */
#include <stdint.h>

uint64_t __udivmoddi4(uint64_t dividend, uint64_t divisor, uint64_t *remainder)
{
	uint64_t quotient = 0, rest = 0;
	for (int bit = 63; bit >= 0; bit--) {
		const uint64_t carried = rest >> 63;
		rest = rest << 1 | (dividend >> bit & 1);
		if (carried || rest >= divisor) {
			rest -= divisor;
			quotient |= 1ull << bit;
		}
	}
	*remainder = rest;
	return quotient;
}

uint64_t __udivdi3(uint64_t dividend, uint64_t divisor)
{
	uint64_t rest;
	return __udivmoddi4(dividend, divisor, &rest);
}

uint64_t __umoddi3(uint64_t dividend, uint64_t divisor)
{
	uint64_t rest;
	__udivmoddi4(dividend, divisor, &rest);
	return rest;
}

static uint64_t magnitude(int64_t value) { return value < 0 ? -(uint64_t)value : (uint64_t)value; }

int64_t __divdi3(int64_t dividend, int64_t divisor)
{
	const uint64_t quotient = __udivdi3(magnitude(dividend), magnitude(divisor));
	return (int64_t)((dividend < 0) != (divisor < 0) ? -quotient : quotient);
}

int64_t __moddi3(int64_t dividend, int64_t divisor)
{
	const uint64_t rest = __umoddi3(magnitude(dividend), magnitude(divisor));
	return (int64_t)(dividend < 0 ? -rest : rest);
}

uint32_t __udivsi3(uint32_t dividend, uint32_t divisor) { return (uint32_t)__udivdi3(dividend, divisor); }
uint32_t __umodsi3(uint32_t dividend, uint32_t divisor) { return (uint32_t)__umoddi3(dividend, divisor); }
int32_t __divsi3(int32_t dividend, int32_t divisor) { return (int32_t)__divdi3(dividend, divisor); }
int32_t __modsi3(int32_t dividend, int32_t divisor) { return (int32_t)__moddi3(dividend, divisor); }

static uint64_t product(uint32_t one, uint32_t other)
{
	const uint32_t low = (one & 0xffff) * (other & 0xffff), high = (one >> 16) * (other >> 16);
	const uint32_t left = (one >> 16) * (other & 0xffff), right = (one & 0xffff) * (other >> 16);
	const uint32_t middle = (low >> 16) + (left & 0xffff) + (right & 0xffff);
	return (uint64_t)(high + (left >> 16) + (right >> 16) + (middle >> 16)) << 32 | (middle << 16 | (low & 0xffff));
}

int64_t __muldi3(int64_t one, int64_t other)
{
	const uint32_t oneHigh = (uint64_t)one >> 32, otherHigh = (uint64_t)other >> 32;
	const uint64_t low = product((uint32_t)one, (uint32_t)other);
	return (int64_t)(low + ((uint64_t)(oneHigh * (uint32_t)other + (uint32_t)one * otherHigh) << 32));
}

int __popcountsi2(uint32_t value)
{
	int count = 0;
	for (; value; value &= value - 1)
		count++;
	return count;
}

int __popcountdi2(uint64_t value) { return __popcountsi2((uint32_t)value) + __popcountsi2((uint32_t)(value >> 32)); }

int __clzdi2(uint64_t value)
{
	int count = 0;
	while (!(value >> (63 - count)))
		count++;
	return count;
}

int __ctzdi2(uint64_t value)
{
	int count = 0;
	while (!(value >> count & 1))
		count++;
	return count;
}

/*
 * Writes the registers of all callers to the stack: whoever calls this often enough within itself needs all windows, of
 * which there are eight for calls of this kind.
 */
static int __attribute__((noinline)) use_windows(int count)
{
	int used = count == 0 ? 0 : use_windows(count - 1);
	__asm__ volatile("" : "+r"(used));		// or it would become a loop
	return used + 1;
}

void __xtensa_libgcc_window_spill(void)
{
	volatile int count = use_windows(8);
	(void)count;
}
