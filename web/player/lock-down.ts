/**
 * Takes from the worker's global scope all that its program does not need, before a stranger's app is read. The app is
 * WebAssembly, and reaches only what it imports; this holds should the program around it ever be made to do more than it is
 * written for. Network is refused to the worker once more, by the policy that it is served with.
 */

/** Of the browser's own; ECMAScript's objects stay, since without them no script runs. */
const KEPT = new Set(["crypto", "performance", "self", "postMessage", "onmessage", "close"]);
const KEPT_CLASSES = new Set(["TextDecoder", "TextEncoder", "WebAssembly"]);

/** Names that ECMAScript defines (ECMA-262 §19). */
const ECMASCRIPT = new Set([
  ...["globalThis", "Infinity", "NaN", "undefined", "eval", "isFinite", "isNaN", "parseFloat", "parseInt"],
  ...["decodeURI", "decodeURIComponent", "encodeURI", "encodeURIComponent", "escape", "unescape"],
  ...["AggregateError", "Array", "ArrayBuffer", "Atomics", "BigInt", "BigInt64Array", "BigUint64Array"],
  ...["Boolean", "DataView", "Date", "Error", "EvalError", "FinalizationRegistry", "Float16Array"],
  ...["Float32Array", "Float64Array", "Function", "Int8Array", "Int16Array", "Int32Array", "Intl"],
  ...["Iterator", "JSON", "Map", "Math", "Number", "Object", "Promise", "Proxy", "RangeError"],
  ...["ReferenceError", "Reflect", "RegExp", "Set", "SharedArrayBuffer", "String", "Symbol"],
  ...["SyntaxError", "TypeError", "Uint8Array", "Uint8ClampedArray", "Uint16Array", "Uint32Array"],
  ...["URIError", "WeakMap", "WeakRef", "WeakSet"],
]);

/** @param scope the worker's global object */
export function lockDown(scope: object): void {
  for (let holder: object | null = scope; holder && holder !== Object.prototype; ) {
    for (const key of Reflect.ownKeys(holder)) {
      if (typeof key !== "string" || key === "constructor") continue;
      if (ECMASCRIPT.has(key) || KEPT.has(key) || KEPT_CLASSES.has(key)) continue;
      Reflect.deleteProperty(holder, key); // what cannot be deleted is none that reaches anything
    }
    holder = Reflect.getPrototypeOf(holder);
  }
}
