/* wasm2c includes it for tail calls, which apps have none of. */
