/**
 * Compresses the files of pages in gzip, with Zopfli: the console has them in its flash and sends them over its radio, and they
 * are compressed once for each build. The same bytes on any machine, since it is WebAssembly.
 */

/** More make the web console's files smaller by less than a thousandth. */
const ITERATIONS = 5;

/** For these the library prints itself, and ends the program (Emscripten's `NODEJS_CATCH_EXIT` and `NODEJS_CATCH_REJECTION`). */
const ERRORS = Object.freeze(["uncaughtException", "unhandledRejection"] as const);

let loaded: Promise<typeof import("@gfx/zopfli")> | undefined;

export async function gzip(bytes: Uint8Array): Promise<Uint8Array> {
  loaded ??= load();
  return (await loaded).gzipAsync(bytes, { numiterations: ITERATIONS });
}

/** Without what it would do with errors of the program. */
async function load() {
  const listeners = ERRORS.map((name) => process.rawListeners(name));
  const library = await import("@gfx/zopfli");
  for (const [index, name] of ERRORS.entries())
    for (const listener of process.rawListeners(name))
      if (!listeners[index]?.includes(listener)) process.off(name, listener as () => void);
  return library;
}
