/**
 * Reads the line tables of DWARF 2 to 5 (`.debug_line`, DWARF 5 §6.2), as clang and rustc write them for WebAssembly: a
 * program for each unit, whose instructions move a few registers and add rows.
 *
 *     unit:  length ── version ── header: operands of opcodes, directories, files ── program … ── unit
 *
 * Work is bounded: an instruction takes at least a byte and adds at most a row, and no unit has more files than bytes.
 */
import { customSection } from "../../../protocol/module-file.js";
import { ByteReader } from "./byte-reader.js";
import type { LineRow } from "./line-row.js";

/** Where a linker has removed a function: no code section is as long. */
const REMOVED = 0xffff_fff0;

interface Sections {
  readonly line: Uint8Array;
  readonly lineText: Uint8Array | undefined;
  readonly text: Uint8Array | undefined;
}

/**
 * @returns in ascending order; empty for a module without line tables. A unit that cannot be read, such as one of a later
 *   version, has no rows.
 */
export function dwarfLines(module: Uint8Array): readonly LineRow[] {
  const line = customSection(module, ".debug_line");
  if (!line) return [];
  const sections = {
    line,
    lineText: customSection(module, ".debug_line_str"),
    text: customSection(module, ".debug_str"),
  };
  const rows: LineRow[] = [];
  for (let at = 0; at + 4 <= line.length; ) {
    const unitLength = new ByteReader(line, at).unsigned(4);
    const end = at + 4 + unitLength;
    if (end > line.length) break;
    for (const row of unitRows({ ...sections, line: line.subarray(0, end) }, at + 4)) rows.push(row);
    at = end;
  }
  return rows.sort((one, other) => one.offset - other.offset); // the last one of an offset counts
}

function unitRows(sections: Sections, at: number): readonly LineRow[] {
  try {
    const reader = new ByteReader(sections.line, at);
    return runProgram(reader, readHeader(reader, sections));
  } catch (error) {
    if (error instanceof RangeError) return [];
    throw error;
  }
}

interface Header {
  readonly lineBase: number;
  readonly lineRange: number;
  readonly opcodeBase: number;
  readonly operands: readonly number[];
  readonly minimumLength: number;
  readonly firstFile: number;
  readonly files: readonly string[];
}

/** Leaves the reader at the program. @throws {RangeError} for what is cut off, and for another version */
function readHeader(reader: ByteReader, sections: Sections): Header {
  const version = reader.unsigned(2);
  if (version < 2 || version > 5) throw new RangeError(`Cannot read version ${version} of line tables`);
  if (version >= 5) reader.skip(2); // sizes of addresses and segment selectors
  const headerLength = reader.unsigned(4);
  const programAt = reader.at + headerLength;
  const minimumLength = reader.unsigned(1);
  if (version >= 4) reader.skip(1); // operations in an instruction
  reader.skip(1); // whether rows are statements
  const lineBase = reader.signedByte();
  const lineRange = reader.unsigned(1);
  const opcodeBase = reader.unsigned(1);
  const operands = Array.from({ length: Math.max(0, opcodeBase - 1) }, () => reader.unsigned(1));
  const files = version >= 5 ? entryNames(reader, sections) : fileNames(reader);
  if (lineRange === 0) throw new RangeError("Cannot divide lines into ranges of none");
  reader.at = programAt;
  return { lineBase, lineRange, opcodeBase, operands, minimumLength, firstFile: version >= 5 ? 0 : 1, files };
}

/** Directories and files up to version 4: the directory 0 is that of the compilation. */
function fileNames(reader: ByteReader): readonly string[] {
  const directories = [""];
  for (let name = reader.text(); name !== ""; name = reader.text()) directories.push(name);
  const files: string[] = [];
  for (let name = reader.text(); name !== ""; name = reader.text()) {
    files.push(joined(directories[reader.uleb()], name));
    reader.uleb(); // time
    reader.uleb(); // length
  }
  return files;
}

/** Content types and forms of version 5 (DWARF 5 §6.2.4.1, §7.5.6). */
const PATH = 1;
const DIRECTORY_INDEX = 2;
const FORM = Object.freeze({
  string: 0x08,
  lineText: 0x1f,
  text: 0x0e,
  uleb: 0x0f,
  data16: 0x1e,
  block: 0x09,
});
const FORM_BYTES: Readonly<Record<number, number>> = { 11: 1, 5: 2, 6: 4, 7: 8 };

/** Directories and files of version 5: the first file is the unit's own, and the first directory that of the compilation. */
function entryNames(reader: ByteReader, sections: Sections): readonly string[] {
  const directories = entries(reader, sections).map(({ name }) => name);
  return entries(reader, sections).map(({ name, directory }) =>
    joined(directory === 0 ? "" : directories[directory], name),
  );
}

function entries(reader: ByteReader, sections: Sections): { name: string; directory: number }[] {
  const format = Array.from({ length: reader.unsigned(1) }, () => [reader.uleb(), reader.uleb()] as const);
  const count = reader.uleb();
  if (count > reader.bytes.length) throw new RangeError(`Cannot read ${count} files`);
  return Array.from({ length: format.length === 0 ? 0 : count }, () => {
    const entry = { name: "", directory: 0 };
    for (const [type, form] of format) {
      const value = formValue(reader, form, sections);
      if (type === PATH) entry.name = String(value);
      else if (type === DIRECTORY_INDEX) entry.directory = Number(value);
    }
    return entry;
  });
}

function formValue(reader: ByteReader, form: number, { lineText, text }: Sections): string | number {
  const byteLength = FORM_BYTES[form];
  if (byteLength !== undefined) return reader.unsigned(byteLength);
  switch (form) {
    case FORM.string:
      return reader.text();
    case FORM.lineText:
      return textAt(lineText, reader.unsigned(4));
    case FORM.text:
      return textAt(text, reader.unsigned(4));
    case FORM.uleb:
      return reader.uleb();
    case FORM.data16:
      return reader.skip(16);
    case FORM.block:
      return reader.skip(reader.uleb());
    default:
      throw new RangeError(`Cannot read a value of form ${form}`);
  }
}

function textAt(section: Uint8Array | undefined, at: number): string {
  if (!section || at >= section.length) throw new RangeError(`Cannot read a text at ${at}`);
  return new ByteReader(section, at).text();
}

/** Without the directory of the compilation, `.`. */
function joined(directory: string | undefined, name: string): string {
  const file = !directory || name.startsWith("/") ? name : `${directory}/${name}`;
  return file.replace(/^(?:\.\/)+/, "");
}

/** Opcodes (§6.2.5.2, §6.2.5.3). */
const COPY = 1;
const ADVANCE_ADDRESS = 2;
const ADVANCE_LINE = 3;
const SET_FILE = 4;
const CONSTANT_ADD = 8;
const FIXED_ADVANCE = 9;
const END_SEQUENCE = 1;
const SET_ADDRESS = 2;
const LAST_SPECIAL = 255;

interface Registers {
  address: number;
  file: number;
  line: number;
}

function runProgram(reader: ByteReader, header: Header): readonly LineRow[] {
  const rows: LineRow[] = [];
  let registers: Registers = { address: 0, file: 1, line: 1 };
  let isRemoved = true;
  const add = (line: number) => {
    if (isRemoved) return;
    const file = header.files[registers.file - header.firstFile] ?? "";
    rows.push({ offset: registers.address, file, line: file === "" ? 0 : line });
  };
  const advance = (opcode: number) => {
    registers.address += Math.floor((opcode - header.opcodeBase) / header.lineRange) * header.minimumLength;
  };
  while (reader.at < reader.bytes.length) {
    const opcode = reader.unsigned(1);
    if (opcode >= header.opcodeBase) {
      advance(opcode);
      registers.line += header.lineBase + ((opcode - header.opcodeBase) % header.lineRange);
      add(registers.line);
    } else if (opcode === 0) {
      const end = reader.uleb() + reader.at;
      const extended = reader.unsigned(1);
      if (extended === SET_ADDRESS) {
        registers.address = reader.unsigned(4);
        isRemoved = registers.address === 0 || registers.address >= REMOVED;
      } else if (extended === END_SEQUENCE) {
        add(0);
        registers = { address: 0, file: 1, line: 1 };
        isRemoved = true;
      }
      reader.at = end;
    } else if (opcode === COPY) add(registers.line);
    else if (opcode === ADVANCE_ADDRESS) registers.address += reader.uleb() * header.minimumLength;
    else if (opcode === ADVANCE_LINE) registers.line += reader.sleb();
    else if (opcode === SET_FILE) registers.file = reader.uleb();
    else if (opcode === CONSTANT_ADD) advance(LAST_SPECIAL);
    else if (opcode === FIXED_ADVANCE) registers.address += reader.unsigned(2);
    else for (let left = header.operands[opcode - 1] ?? 0; left > 0; left--) reader.uleb();
  }
  return rows;
}
