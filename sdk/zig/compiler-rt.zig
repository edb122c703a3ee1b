//! Nothing: what the compiler calls by itself, such as `memcpy`, it adds to an object that is compiled with `-fcompiler-rt`.
