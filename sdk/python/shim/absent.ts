/** What MicroPython expects of a browser or of Linux, and a console does not have. */

const ENOENT: i32 = -44;
const ENOSYS: i32 = -52;
const EBADF: i32 = 8;
/** What JavaScript calls `undefined` (MicroPython's `PROXY_KIND_JS_UNDEFINED`). */
const UNDEFINED: i32 = 0;

export function _abort_js(): void {
  unreachable();
}

export function __syscall_chdir(_path: usize): i32 {
  return ENOSYS;
}
export function __syscall_getcwd(_into: usize, _length: i32): i32 {
  return ENOSYS;
}
export function __syscall_mkdirat(_fd: i32, _path: usize, _mode: i32): i32 {
  return ENOSYS;
}
export function __syscall_openat(_fd: i32, _path: usize, _flags: i32, _mode: i32): i32 {
  return ENOENT;
}
export function __syscall_poll(_fds: usize, _count: i32, _timeout: i32): i32 {
  return ENOSYS;
}
export function __syscall_getdents64(_fd: i32, _into: usize, _count: i32): i32 {
  return ENOSYS;
}
export function __syscall_renameat(_a: i32, _b: i32, _c: i32, _d: i32): i32 {
  return ENOSYS;
}
export function __syscall_rmdir(_path: usize): i32 {
  return ENOSYS;
}
export function __syscall_fstat64(_fd: i32, _into: usize): i32 {
  return ENOSYS;
}
export function __syscall_stat64(_path: usize, _into: usize): i32 {
  return ENOENT;
}
export function __syscall_newfstatat(_fd: i32, _path: usize, _into: usize, _flags: i32): i32 {
  return ENOENT;
}
export function __syscall_lstat64(_path: usize, _into: usize): i32 {
  return ENOENT;
}
export function __syscall_statfs64(_path: usize, _size: i32, _into: usize): i32 {
  return ENOSYS;
}
export function __syscall_unlinkat(_fd: i32, _path: usize, _flags: i32): i32 {
  return ENOSYS;
}
export function fd_close(_fd: i32): i32 {
  return EBADF;
}
export function fd_sync(_fd: i32): i32 {
  return 0;
}
export function fd_seek(_fd: i32, _offset: i64, _whence: i32, _into: usize): i32 {
  return EBADF;
}

export function store_attr(_reference: i32, _name: usize, _value: usize): void {}
export function has_attr(_reference: i32, _name: usize): i32 {
  return 0;
}
export function js_subscr_load(_reference: i32, _index: usize, out: usize): void {
  store<i32>(out, UNDEFINED);
}
export function js_subscr_store(_reference: i32, _index: usize, _value: usize): void {}
export function js_get_iter(_reference: i32, out: usize): void {
  store<i32>(out, UNDEFINED);
}
export function js_iter_next(_reference: i32, _out: usize): i32 {
  return 0;
}
export function js_check_existing(_reference: i32): i32 {
  return -1;
}
export function js_get_error_info(_reference: i32, name: usize, message: usize): void {
  store<i32>(name, UNDEFINED);
  store<i32>(message, UNDEFINED);
}
export function js_get_proxy_js_ref_info(out: usize): void {
  store<i32>(out, UNDEFINED);
}
export function js_reflect_construct(_reference: i32, _count: i32, _values: usize, out: usize): void {
  store<i32>(out, UNDEFINED);
}
export function js_then_resolve(_a: usize, _b: usize): void {}
export function js_then_reject(_a: usize, _b: usize): void {}
export function js_then_continue(_a: i32, _b: usize, _c: usize, _d: usize, out: usize): void {
  store<i32>(out, UNDEFINED);
}
export function create_promise(_a: usize, out: usize): void {
  store<i32>(out, UNDEFINED);
}
export function proxy_convert_mp_to_js_then_js_to_mp_obj_jsside(out: usize): void {
  store<i32>(out, UNDEFINED);
}
export function proxy_convert_mp_to_js_then_js_to_js_then_js_to_mp_obj_jsside(out: usize): void {
  store<i32>(out, UNDEFINED);
}
