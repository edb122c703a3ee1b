/* wasm3's m3_core.c, as it is, with what it lacks: a name that there was no memory for is an error, and not left out. */
#define Read_utf8 read_utf8_or_nothing
#include "m3_core.c"
#undef Read_utf8

M3Result Read_utf8(cstr_t *o_utf8, bytes_t *io_bytes, cbytes_t i_end)
{
	*o_utf8 = NULL;
	M3Result result = read_utf8_or_nothing(o_utf8, io_bytes, i_end);
	return result || *o_utf8 ? result : m3Err_mallocFailed;
}
