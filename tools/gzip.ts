/**
 * Compresses the files of pages in gzip, with Zopfli: the console has them in its flash and sends them over its radio, and they
 * are compressed once for each build. The same bytes on any machine, since it is WebAssembly.
 */
import { gzipAsync } from "@gfx/zopfli";

/** More make the web console's files smaller by less than a thousandth. */
const ITERATIONS = 5;

export function gzip(bytes: Uint8Array): Promise<Uint8Array> {
  return gzipAsync(bytes, { numiterations: ITERATIONS });
}
