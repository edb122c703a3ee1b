/**
 * How much stack is left, which browsers do not tell: found by using some of it. A function of WebAssembly with many parameters
 * calls itself until as much as a console promises has been used, or the browser refuses.
 */

/** A console's stack of an app (`CONFIG_SVC_WASM_APP_STACK_SIZE`); no more than that is looked for. */
const PROMISED_BYTES = 8192;
/** Of the browser's stack for each promised byte: its frames are larger than those of the console's interpreter. */
const SCALE = 8;
const PARAMETERS = 128;
/** Each parameter is an i64, and all but a few of them are on the stack. */
const FRAME_BYTES = 8 * (PARAMETERS - 16);
const FRAMES = Math.ceil((PROMISED_BYTES * SCALE) / FRAME_BYTES);

const I64 = 0x7e;
const I32 = 0x7f;

/** `(global $left (mut i32)) (func (export "f") (param $n i32) (param i64 …) …)`: sets `left` to `n`, and calls itself with n - 1. */
function probeModule(): Uint8Array<ArrayBuffer> {
  const counted = (bytes: readonly number[]) => [...leb(bytes.length), ...bytes];
  const section = (id: number, bytes: readonly number[]) => [id, ...counted(bytes)];
  const parameters = [I32, ...Array<number>(PARAMETERS).fill(I64)];
  const pass = Array.from({ length: PARAMETERS }, (_, at) => [0x20, ...leb(at + 1)]).flat();
  const body = [
    ...[0, 0x20, 0, 0x24, 0, 0x20, 0, 0x04, 0x40], // no locals; left = n; if (n)
    ...[0x20, 0, 0x41, 1, 0x6b, ...pass, 0x10, 0], // f(n - 1, …)
    ...[0x0b, 0x0b],
  ];
  return Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [1, 0x60, ...counted(parameters), 0]),
    ...section(3, [1, 0]),
    ...section(6, [1, I32, 1, 0x41, 0, 0x0b]),
    ...section(7, [2, 1, 0x66, 0, 0, 1, 0x67, 3, 0]), // "f", and "g" for left
    ...section(10, [1, ...counted(body)]),
  ]);
}

function leb(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...leb(value >> 7)];
}

/** @returns a function that returns the bytes left, at most those that a console promises at an app's start */
export function stackProbe(): () => number {
  const { f, g } = new WebAssembly.Instance(new WebAssembly.Module(probeModule())).exports as {
    f: (...parameters: (number | bigint)[]) => void;
    g: WebAssembly.Global;
  };
  const zeros = Array<bigint>(PARAMETERS).fill(0n);
  return () => {
    g.value = FRAMES;
    try {
      f(FRAMES, ...zeros);
    } catch {
      // The stack has ended: `left` is where.
    }
    return Math.floor(((FRAMES - (g.value as number)) * PROMISED_BYTES) / FRAMES);
  };
}
