/**
 * The module `js` of MicroPython, by which `svc.py` reaches the console. MicroPython takes its attributes for objects of
 * JavaScript, and asks for them and calls them by number (its ports/webassembly/objjsproxy.c and proxy_c.c):
 *
 *     js.display_fill(…)   a function of the ABI: text counts as two parameters, its address and its length
 *     js.names             the names of these functions, each with a space behind it
 *     js.log_errors()      makes what is printed errors
 *     js.end(code)         sets the exit code
 *     js.script_size()     bytes of main.py
 *     js.script_read(to)   copies them there: Python's heap has room for a long script, or raises a MemoryError
 *
 * Three texts are at `__start_em_js`, each with a NUL behind it: `svc.py`, the names, and a last message.
 */
import { LogLevel, raw } from "svc";
import { callFunction, FUNCTIONS } from "./dispatch";
import { flushLines, logErrors } from "./lines";
import { __start_em_js, malloc } from "./micropython";

/** Kinds of values (`PROXY_KIND_…`). A value is a kind and two words. */
const OF_PYTHON_NONE: i32 = 1;
const OF_PYTHON_FLOAT: i32 = 4;
const OF_PYTHON_TEXT: i32 = 5;
const UNDEFINED: i32 = 0;
const INTEGER: i32 = 3;
const DOUBLE: i32 = 4;
const TEXT: i32 = 5;
const KNOWN_OBJECT: i32 = 6;
const OBJECT: i32 = 7;
const VALUE_BYTES: i32 = 12;

/** References below are MicroPython's own: the module `js`, and `undefined`. */
const FIRST_REFERENCE: i32 = 2;
const LOG_ERRORS: i32 = FUNCTIONS;
const END: i32 = FUNCTIONS + 1;
const SCRIPT_SIZE: i32 = FUNCTIONS + 2;
const SCRIPT_READ: i32 = FUNCTIONS + 3;
const OBJECTS: i32 = FUNCTIONS + 4;

const FOUND: i32 = 1;
const SPACE: u8 = 0x20;
const INVALID: i64 = -22;
/** Of a function of the ABI (`abi.h`). */
const PARAMETERS: i32 = 10;

let names: usize = 0;
/** A byte for each object: whether Python has it. */
let known: usize = 0;
let parameters: usize = 0;
let code: i32 = 1;

export function openFunctions(): void {
  names = after(__start_em_js);
  known = malloc(OBJECTS);
  memory.fill(known, 0, OBJECTS);
  parameters = malloc(PARAMETERS * 4);
}

/** The text behind that one. */
function after(text: usize): usize {
  return text + textLength(text) + 1;
}

export function textLength(text: usize): i32 {
  let length = 0;
  while (load<u8>(text + length)) length++;
  return length;
}

/** MicroPython's nlr_jump_fail: an exception came where nothing catches one, for there was no memory to tell of another. */
export function out_of_memory(): void {
  flushLines();
  const message = after(names);
  raw.log(LogLevel.ERROR, message, textLength(message));
  raw.exit(1);
}

/** Four bytes for what is read between two calls. */
export function scratch(): usize {
  return parameters;
}

export function exitCode(): i32 {
  return code;
}

export function lookup_attr(_reference: i32, name: usize, out: usize): i32 {
  let at = names;
  for (let object = 0; object < OBJECTS; object++) {
    if (isSame(at, name)) return giveObject(object, out);
    while (load<u8>(at++) !== SPACE) {}
  }
  return isSame(at, name) ? giveNames(out) : 0;
}

/** Whether the word in the list is that name, which ends with NUL. */
function isSame(word: usize, name: usize): bool {
  while (load<u8>(word) === load<u8>(name)) {
    word++;
    name++;
  }
  return load<u8>(word) === SPACE && load<u8>(name) === 0;
}

function giveObject(object: i32, out: usize): i32 {
  store<i32>(out, load<u8>(known + object) ? KNOWN_OBJECT : OBJECT);
  store<i32>(out, FIRST_REFERENCE + object, 4);
  store<u8>(known + object, 1);
  return FOUND;
}

export function proxy_js_free_obj(reference: i32): void {
  if (reference >= FIRST_REFERENCE) store<u8>(known + (reference - FIRST_REFERENCE), 0);
}

function giveNames(out: usize): i32 {
  let end = names;
  for (let index = 0; index < FUNCTIONS; end++) {
    if (load<u8>(end) === SPACE) index++;
  }
  const length = i32(end - names);
  const copy = malloc(length);
  if (!copy) out_of_memory();
  memory.copy(copy, names, length);
  store<i32>(out, TEXT);
  store<i32>(out, length, 4);
  store<usize>(out, copy, 8); // Python frees it
  return FOUND;
}

export function call0(reference: i32, out: usize): void {
  call(reference, 0, out);
}

export function call1(reference: i32, _isMethod: i32, first: usize, out: usize): i32 {
  call(reference, take(first, 0), out);
  return 0;
}

export function call2(reference: i32, _isMethod: i32, first: usize, second: usize, out: usize): i32 {
  call(reference, take(second, take(first, 0)), out);
  return 0;
}

export function calln(reference: i32, _isMethod: i32, values: i32, from: usize, out: usize): i32 {
  let count = 0;
  for (let index = 0; index < values; index++) count = take(from + index * VALUE_BYTES, count);
  call(reference, count, out);
  return 0;
}

export function call0_kwarg(
  _reference: i32,
  _isMethod: i32,
  _names: i32,
  _keys: usize,
  _values: usize,
  out: usize,
): void {
  store<i32>(out, UNDEFINED);
}

export function calln_kwarg(
  _reference: i32,
  _isMethod: i32,
  _count: i32,
  _from: usize,
  _names: i32,
  _keys: usize,
  _values: usize,
  out: usize,
): void {
  store<i32>(out, UNDEFINED);
}

/** Makes a value of Python's a parameter, or two. @returns how many there are now */
function take(value: usize, count: i32): i32 {
  const kind = load<i32>(value);
  if (kind === OF_PYTHON_TEXT) return add(load<i32>(value, 4), add(load<i32>(value, 8), count));
  if (kind === OF_PYTHON_FLOAT) return add(toInteger(load<f64>(value, 4)), count);
  return add(kind <= OF_PYTHON_NONE ? 0 : load<i32>(value, 4), count);
}

/** 0 for what no i32 can be. */
function toInteger(number: f64): i32 {
  return number > -2147483649 && number < 2147483648 ? i32(number) : 0;
}

function add(parameter: i32, count: i32): i32 {
  if (count < PARAMETERS) store<i32>(parameters + count * 4, parameter);
  return count + 1;
}

function call(reference: i32, count: i32, out: usize): void {
  const object = reference - FIRST_REFERENCE;
  let result: i64 = 0;
  if (object === LOG_ERRORS) logErrors();
  else if (object === END) code = load<i32>(parameters);
  else if (object === SCRIPT_SIZE) result = max(raw.script_size(), 0);
  else if (object === SCRIPT_READ) raw.script_read(load<i32>(parameters), 0, raw.script_size());
  else if (object >= 0 && object < FUNCTIONS) {
    flushLines(); // what was printed comes before what the function does
    result = callFunction(object, count, parameters, INVALID);
  } else result = INVALID;
  if (result === i64(i32(result))) {
    store<i32>(out, INTEGER);
    store<i32>(out, i32(result), 4);
  } else {
    store<i32>(out, DOUBLE);
    store<f64>(out, f64(result), 4);
  }
}
