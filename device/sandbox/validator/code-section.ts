/** Reads the code section: validates the body of each function and computes the lengths in the prepared module. */
import { isBelow, loadSigned16, store16, store32 } from "../memory.js";
import { beginBody, growth, readBody } from "./body.js";
import { functionCount, functionType, importedFunctions, lebLength } from "./declarations.js";
import { BODY_COUNT, BODY_GROWTH, BODY_PAST_SECTION, invalid } from "./failures.js";
import { GROWTHS, IMPORT } from "./layout.js";
import { GROWTH_LIMIT_BYTES } from "./limits.js";
import { containerEnd, endAfter, enter, isReady, offset, readUnsigned } from "./window.js";

/** Length of the prepared section's contents. */
export let preparedCodeBytes: i32 = 0;
let bodies: i32 = 0;
/** Number of complete bodies, -1 before the count is read. */
let done: i32 = -1;
let bodyStart: i32 = 0;
/** Offset at which the section ends, while the window's container is a body; 0 between bodies. */
let sectionEnd: i32 = 0;
/** Length of the section that it declares, unsigned, and the offset where its contents begin. */
let sectionBytes: i32 = 0;
let sectionStart: i32 = 0;

export function beginCode(byteLength: i32): void {
  done = -1;
  sectionEnd = 0;
  sectionBytes = byteLength;
  sectionStart = offset();
}

export function readCode(): boolean {
  if (done < 0) {
    if (!isReady()) return false;
    readCount();
  }
  while (done < bodies) {
    if (sectionEnd === 0) {
      if (!isReady()) return false;
      beginNextBody();
    }
    if (!readBody()) return false;
    endNextBody();
  }
  return true;
}

/** Bytes by which preparing lengthens body `index`. */
export function growthOf(index: i32): i32 {
  return loadSigned16(GROWTHS + 2 * index);
}

function readCount(): void {
  const at = offset();
  bodies = readUnsigned();
  const declared = functionCount - importedFunctions;
  if (bodies !== declared) {
    store32(IMPORT, declared);
    invalid(BODY_COUNT, at, bodies);
  }
  preparedCodeBytes = lebLength(bodies);
  done = 0;
}

function beginNextBody(): void {
  const at = offset();
  const byteLength = readUnsigned();
  bodyStart = offset();
  if (isBelow(sectionBytes - (bodyStart - sectionStart), byteLength)) invalid(BODY_PAST_SECTION, at, 0);
  sectionEnd = containerEnd;
  enter(endAfter(byteLength));
  beginBody(functionType(importedFunctions + done));
}

function endNextBody(): void {
  if (growth > GROWTH_LIMIT_BYTES || growth < -GROWTH_LIMIT_BYTES) invalid(BODY_GROWTH, offset(), 0);
  const byteLength = offset() - bodyStart + growth;
  store16(GROWTHS + 2 * done, growth);
  done++;
  preparedCodeBytes += lebLength(byteLength) + byteLength;
  enter(sectionEnd);
  sectionEnd = 0;
}
