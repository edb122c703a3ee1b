/* A native image asserts nothing at run time. */
#define assert(condition) ((void)0)
#undef static_assert
#define static_assert _Static_assert
