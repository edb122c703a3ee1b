/** The functions of MicroPython's module that the shim calls. */

@external("micropython", "__start_em_js")
export declare const __start_em_js: usize;
@external("micropython", "__wasm_call_ctors")
export declare function __wasm_call_ctors(): void;
@external("micropython", "malloc")
export declare function malloc(bytes: i32): usize;
@external("micropython", "free")
export declare function free(address: usize): void;
@external("micropython", "mp_js_init")
export declare function mp_js_init(frameWords: i32, heapBytes: i32): void;
@external("micropython", "proxy_c_init")
export declare function proxy_c_init(): void;
@external("micropython", "mp_js_do_exec")
export declare function mp_js_do_exec(text: usize, length: i32, result: usize): void;
@external("micropython", "gc_collect_start")
export declare function gc_collect_start(): void;
@external("micropython", "gc_mark_subtree")
export declare function gc_mark_subtree(area: usize, block: usize): void;
@external("micropython", "gc_area")
export declare const gc_area: usize;
@external("micropython", "gc_collect_end")
export declare function gc_collect_end(): void;
@external("micropython", "emscripten_stack_get_base")
export declare function emscripten_stack_get_base(): usize;
@external("micropython", "emscripten_stack_get_current")
export declare function emscripten_stack_get_current(): usize;
