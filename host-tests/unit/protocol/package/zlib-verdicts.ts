/** What zlib makes of gzip files, and what it calls our faults. */
import { constants, type Gunzip, gunzipSync } from "node:zlib";
import type { Inflated } from "./inflating.js";

const GZIP = "Cannot unpack the package as gzip: ";
const DEFLATE = "Cannot inflate the package: ";
export const TOO_EARLY = `${GZIP}it ends too early`;
export const BYTES_FOLLOW = `${GZIP}more bytes follow, which are not gzip`;
export const NO_CODE = `${DEFLATE}the code of a block's code lengths is none`;

/** What zlib calls each fault; the tables of the tests tell apart those with one name. */
export const NAMES_IN_ZLIB: Readonly<Record<string, string>> = {
  [TOO_EARLY]: "unexpected end of file",
  [BYTES_FOLLOW]: "incorrect header check",
  [`${GZIP}it is none`]: "incorrect header check",
  [`${GZIP}its compression method is not deflate`]: "unknown compression method",
  [`${GZIP}its header has flags that do not exist`]: "unknown header flags set",
  [`${GZIP}its header has another checksum`]: "header crc mismatch",
  [`${GZIP}its content has another checksum`]: "incorrect data check",
  [`${GZIP}its content has another length`]: "incorrect length check",
  [`${DEFLATE}a block is of a type that does not exist`]: "invalid block type",
  [`${DEFLATE}the length of a stored block does not match its complement`]: "invalid stored block lengths",
  [`${DEFLATE}a block has more codes than there are symbols`]: "too many length or distance symbols",
  [NO_CODE]: "invalid code lengths set",
  [`${DEFLATE}a code length is to be repeated before there is one`]: "invalid bit length repeat",
  [`${DEFLATE}a block has more code lengths than codes`]: "invalid bit length repeat",
  [`${DEFLATE}a block has no code for its end`]: "invalid code -- missing end-of-block",
  [`${DEFLATE}the code of a block's literals and lengths is incomplete`]: "invalid literal/lengths set",
  [`${DEFLATE}the code of a block's literals and lengths is oversubscribed`]: "invalid literal/lengths set",
  [`${DEFLATE}the code of a block's distances is incomplete`]: "invalid distances set",
  [`${DEFLATE}the code of a block's distances is oversubscribed`]: "invalid distances set",
  [`${DEFLATE}there is no such literal or length`]: "invalid literal/length code",
  [`${DEFLATE}there is no such length`]: "invalid literal/length code",
  [`${DEFLATE}there is no such distance`]: "invalid distance code",
  [`${DEFLATE}a match reaches back before the beginning`]: "invalid distance too far back",
};

/** What zlib makes of a gzip file. It skips bytes after a member that begin with a zero. */
export function gunzipByZlib(file: Uint8Array): Inflated & { readonly fault?: string } {
  try {
    const { buffer, engine } = gunzipSync(file, { info: true }) as unknown as {
      buffer: Buffer;
      engine: Gunzip;
    };
    return { output: buffer, takenBytes: engine.bytesWritten };
  } catch (error) {
    return { output: new Uint8Array(0), takenBytes: 0, fault: (error as Error).message };
  }
}

/** What zlib has inflated of an invalid gzip file before the byte at which it refuses it. */
export function outputBeforeFault(file: Uint8Array): Uint8Array {
  const begun = (byteLength: number) =>
    gunzipSync(file.subarray(0, byteLength), { finishFlush: constants.Z_SYNC_FLUSH });
  let output: Uint8Array = new Uint8Array(0);
  let accepted = 0;
  let refused = file.length + 1;
  while (refused - accepted > 1) {
    const middle = (accepted + refused) >> 1;
    try {
      output = begun(middle);
      accepted = middle;
    } catch {
      refused = middle;
    }
  }
  return output;
}
