/** What a module imports to log. */
export const LOG = '(import "svc" "log" (func $log (param i32 i32 i32) (result i32)))';
