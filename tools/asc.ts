/**
 * Loads AssemblyScript's compiler. Its library replaces `Array.prototype.sort` for the whole process by one that sorts numbers
 * by their value and has no order for numbers beside texts; the compiler itself needs no such thing.
 */

type Asc = typeof import("assemblyscript/asc")["default"];

let loading: Promise<Asc> | undefined;

/** To load it takes longer than `svc` to start. */
export function loadAsc(): Promise<Asc> {
  loading ??= load();
  return loading;
}

async function load(): Promise<Asc> {
  const { sort } = Array.prototype;
  const { default: asc } = await import("assemblyscript/asc");
  Array.prototype.sort = sort;
  return asc;
}
