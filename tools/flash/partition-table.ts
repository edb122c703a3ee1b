/**
 * Reads the partition table in a board's flash. It has entries of 32 bytes, then an MD5 of them, then erased flash.
 * Numbers are little-endian.
 *
 *     entry   0xAA 0x50, type (1), subtype (1), offset (4), size (4), name (16, filled with zeros), flags (4)
 *     MD5     0xEB 0xEB, 14 bytes 0xFF, the MD5 of all bytes before (16)
 */
import { createHash } from "node:crypto";

export const PARTITION_TABLE_OFFSET = 0x8000;

/** What ESP-IDF reads of the sector that the table has for itself. */
export const PARTITION_TABLE_BYTES = 0xc00;

export interface Partition {
  readonly name: string;
  /** 0: app, 1: data. */
  readonly type: number;
  readonly subtype: number;
  readonly offset: number;
  readonly byteLength: number;
}

export const APP_TYPE = 0;

const ENTRY_BYTES = 32;
const ENTRY_MAGIC = 0x50aa;
const MD5_MAGIC = 0xebeb;
const MD5_OFFSET = 16;

/**
 * @param bytes begin with the table
 * @throws {Error} a clause about the table, such as `its MD5 is wrong`
 */
export function readPartitionTable(bytes: Uint8Array): readonly Partition[] {
  const table = Buffer.from(
    bytes.buffer,
    bytes.byteOffset,
    Math.min(bytes.byteLength, PARTITION_TABLE_BYTES),
  );
  const partitions: Partition[] = [];
  for (let at = 0; at + ENTRY_BYTES <= table.length; at += ENTRY_BYTES) {
    const magic = table.readUInt16LE(at);
    if (magic === MD5_MAGIC) return checked(partitions, table, at);
    if (magic !== ENTRY_MAGIC) break;
    partitions.push(readEntry(table.subarray(at, at + ENTRY_BYTES)));
  }
  throw new Error(partitions.length === 0 ? "it is not a partition table" : "its MD5 is missing");
}

function readEntry(entry: Buffer): Partition {
  const name = entry.subarray(12, 28);
  const end = name.indexOf(0);
  return {
    name: name.toString("utf8", 0, end < 0 ? name.length : end),
    type: entry.readUInt8(2),
    subtype: entry.readUInt8(3),
    offset: entry.readUInt32LE(4),
    byteLength: entry.readUInt32LE(8),
  };
}

/** @param end of the entries */
function checked(partitions: readonly Partition[], table: Buffer, end: number): readonly Partition[] {
  const md5 = createHash("md5").update(table.subarray(0, end)).digest();
  if (!md5.equals(table.subarray(end + MD5_OFFSET, end + ENTRY_BYTES))) throw new Error("its MD5 is wrong");
  return partitions;
}
