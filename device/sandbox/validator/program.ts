/**
 * Validates a WebAssembly module as it arrives, in one pass over pieces of any size, and prepares it for the engine in a
 * second one (docs/spec/app-packages.md#validated). It accepts modules that are valid by the WebAssembly specification
 * and use only the features of wasm3 0.5.0: the first version, sign extension, saturating conversions, multiple results,
 * `memory.copy` and `memory.fill`, mutable globals and the data count section. A module that it rejects ends the
 * program with a trap, whose reason is at `FAILURE`.
 *
 * 1. `begin(pages, bytes)`: validate, with a quota of `pages` and a name of the entry of `bytes` bytes at `room()`, or
 *    -1 without an entry. `feed` and `finish` answer 1 when they have read an import, which is at `IMPORT`: call the same
 *    again, without further bytes, to accept it. After `finish` has answered 0 the facts are at `FACTS`.
 * 2. `begin(-1, 0)`: prepare. `feed` and `finish` answer with the number of prepared bytes, which are at `OUTPUT`.
 */
import { copy, store32 } from "../memory.js";
import { fillImmediates } from "./body-rewriter.js";
import { resetCustom } from "./custom-section.js";
import { resetDeclarations } from "./declarations.js";
import { resetFunctions } from "./function-state.js";
import { ENTRY_NAME, FAILURE, INPUT, OUTPUT_END } from "./layout.js";
import { NAME_KEPT_BYTES } from "./limits.js";
import { endModule, readModule, resetModule } from "./module.js";
import { fillOpcodes } from "./opcodes.js";
import { clearOutput, outputLength } from "./output.js";
import { beginRewrite, endRewrite, rewrite } from "./rewriter.js";
import { acceptImport, awaitsImport, resetSections } from "./sections.js";
import { resetBudget } from "./slot-budget.js";
import { end, endInput, grow, keepUnread, resetWindow } from "./window.js";

let isRewriting: boolean = false;

export function memoryBytes(): i32 {
  return OUTPUT_END;
}

export function begin(pages: i32, entryBytes: i32): i32 {
  isRewriting = pages < 0;
  resetWindow();
  if (isRewriting) {
    beginRewrite();
    return 0;
  }
  store32(FAILURE, 0);
  if (entryBytes <= NAME_KEPT_BYTES) copy(ENTRY_NAME + 4, INPUT, NAME_KEPT_BYTES);
  fillOpcodes();
  fillImmediates();
  resetDeclarations();
  resetFunctions();
  resetBudget();
  resetCustom();
  resetSections(entryBytes);
  resetModule(pages);
  return 0;
}

export function room(): i32 {
  return end;
}

export function feed(byteLength: i32): i32 {
  grow(byteLength);
  return read();
}

export function finish(): i32 {
  endInput();
  const result = read();
  if (isRewriting) {
    endRewrite();
    return outputLength;
  }
  if (!awaitsImport) endModule();
  return result;
}

function read(): i32 {
  if (isRewriting) {
    clearOutput();
    rewrite();
    keepUnread();
    return outputLength;
  }
  acceptImport();
  readModule();
  keepUnread();
  return awaitsImport ? 1 : 0;
}
