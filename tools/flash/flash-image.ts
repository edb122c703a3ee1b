/**
 * One image of a board's flash, from its first byte to the end of the last part, so that one file at offset 0 programs a
 * board. Bytes between the parts are 0xFF, as erased flash is.
 *
 * Every part is checked before any byte is placed: a board with a wrong image does not start, and says nothing.
 */
import {
  type AppDescription,
  CHIP_NAMES,
  CHIPS,
  type Chip,
  type EspImage,
  readAppDescription,
  readEspImage,
} from "./esp-image.js";
import {
  APP_TYPE,
  PARTITION_TABLE_BYTES,
  PARTITION_TABLE_OFFSET,
  type Partition,
  readPartitionTable,
} from "./partition-table.js";

/** A file at its place in flash. Parts without a role are the content of a partition. */
export interface FlashPart {
  /** For messages. */
  readonly name: string;
  readonly role?: "boot loader" | "partition table" | "app" | undefined;
  /** From the beginning of the flash, in bytes. */
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/** What an image of the flash is for, and what is in it. */
export interface FlashContent {
  readonly chip: Chip;
  /** Of the whole flash, not of the image. */
  readonly flashBytes: number;
  readonly partitions: readonly Partition[];
  readonly app: AppDescription;
}

const ERASED = 0xff;

/** Offsets of the parts are hexadecimal in all of ESP-IDF's tools. */
const hex = (offset: number) => `0x${offset.toString(16)}`;

const endOf = ({ offset, bytes }: FlashPart) => offset + bytes.length;

/**
 * @param parts in any order
 * @throws {Error} that names the part that is missing, overlaps, does not fit, or is for another chip
 */
export function mergeFlashImage(chip: Chip, parts: readonly FlashPart[]): { image: Buffer } & FlashContent {
  const ordered = [...parts].sort((one, other) => one.offset - other.offset);
  const content = checkParts(chip, ordered);
  refuseOverlaps(ordered);
  const image = Buffer.alloc(Math.max(...ordered.map(endOf)), ERASED);
  for (const { bytes, offset } of ordered) image.set(bytes, offset);
  return { image, ...content };
}

function checkParts(chip: Chip, parts: readonly FlashPart[]): FlashContent {
  const bootLoader = single(parts, "boot loader");
  requirePlace(bootLoader, CHIPS[chip].bootLoaderOffset, CHIPS[chip].family);
  const { flashBytes } = about(bootLoader, () => readFor(chip, bootLoader.bytes));
  const table = single(parts, "partition table");
  requirePlace(table, PARTITION_TABLE_OFFSET, CHIPS[chip].family);
  const partitions = about(table, () => readPartitionTable(table.bytes));
  for (const part of parts) requireFit(part, partitions, flashBytes);
  refusePartitionsBeyond(flashBytes, partitions);
  const program = single(parts, "app");
  requireAppPartition(program, partitions);
  const app = about(program, () => {
    readFor(chip, program.bytes);
    return readAppDescription(program.bytes);
  });
  return { chip, flashBytes, partitions, app };
}

function single(parts: readonly FlashPart[], role: NonNullable<FlashPart["role"]>): FlashPart {
  const [part, another] = parts.filter((candidate) => candidate.role === role);
  if (part === undefined) throw new Error(`The build has no ${role}`);
  if (another) throw new Error(`"${part.name}" and "${another.name}" are both the ${role}`);
  return part;
}

function about<Result>({ name }: FlashPart, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw new Error(`Cannot use "${name}": ${(error as Error).message}`, { cause: error });
  }
}

function readFor(chip: Chip, bytes: Uint8Array): EspImage {
  const image = readEspImage(bytes);
  if (image.chip !== chip)
    throw new Error(`it is for the ${CHIPS[image.chip].family}, not for the ${CHIPS[chip].family}`);
  return image;
}

function requirePlace({ name, role, offset }: FlashPart, wanted: number, family: string): void {
  if (offset !== wanted)
    throw new Error(
      `Cannot place "${name}" at ${hex(offset)}: the ${role} of the ${family} is at ${hex(wanted)}`,
    );
}

function requireFit(part: FlashPart, partitions: readonly Partition[], flashBytes: number): void {
  const { name, offset, bytes } = part;
  if (bytes.length === 0) throw new Error(`Cannot place "${name}": it is empty`);
  if (!Number.isSafeInteger(offset) || offset < 0 || endOf(part) > flashBytes)
    throw new Error(
      `Cannot place "${name}" at ${hex(offset)}: it has ${bytes.length} bytes, the flash ${flashBytes}`,
    );
  const { byteLength, of } = roomFor(part, partitions);
  if (bytes.length > byteLength)
    throw new Error(
      `Cannot place "${name}" at ${hex(offset)}: it has ${bytes.length} bytes, and ${byteLength}${of} are left there`,
    );
}

/** @returns the bytes from the part's offset on that are for it */
function roomFor({ name, role, offset }: FlashPart, partitions: readonly Partition[]) {
  if (role === "boot loader") return { byteLength: PARTITION_TABLE_OFFSET - offset, of: "" };
  if (role === "partition table") return { byteLength: PARTITION_TABLE_BYTES, of: "" };
  const partition = partitions.find(
    (candidate) => offset >= candidate.offset && offset < candidate.offset + candidate.byteLength,
  );
  if (partition === undefined)
    throw new Error(`Cannot place "${name}" at ${hex(offset)}: no partition is there`);
  const byteLength = partition.offset + partition.byteLength - offset;
  return { byteLength, of: ` of the partition "${partition.name}"` };
}

function refusePartitionsBeyond(flashBytes: number, partitions: readonly Partition[]): void {
  const beyond = partitions.find(({ offset, byteLength }) => offset + byteLength > flashBytes);
  if (beyond) throw new Error(`The partition "${beyond.name}" ends behind the flash of ${flashBytes} bytes`);
}

function requireAppPartition({ name, offset }: FlashPart, partitions: readonly Partition[]): void {
  if (!partitions.some((partition) => partition.type === APP_TYPE && partition.offset === offset))
    throw new Error(`Cannot place "${name}" at ${hex(offset)}: no partition for an app begins there`);
}

function refuseOverlaps(ordered: readonly FlashPart[]): void {
  for (const [index, part] of ordered.entries()) {
    const next = ordered[index + 1];
    if (next && endOf(part) > next.offset)
      throw new Error(
        `"${part.name}" ends at ${hex(endOf(part))}, behind the beginning of "${next.name}" at ${hex(next.offset)}`,
      );
  }
}

/**
 * Reads back an image of the flash, from this build or another tool.
 * @throws {Error} a clause about the image, such as `there is no boot loader in it`
 */
export function readFlashImage(image: Uint8Array): FlashContent {
  const { chip, flashBytes } = readBootLoader(image);
  const partitions = readPartitionTable(image.subarray(PARTITION_TABLE_OFFSET));
  const apps = partitions.filter(({ type, offset }) => type === APP_TYPE && image[offset] === 0xe9);
  const first = apps[0];
  if (first === undefined) throw new Error("there is no app in it");
  const bytes = image.subarray(first.offset, first.offset + first.byteLength);
  readFor(chip, bytes);
  return { chip, flashBytes, partitions, app: readAppDescription(bytes) };
}

function readBootLoader(image: Uint8Array): EspImage {
  for (const chip of CHIP_NAMES) {
    const bytes = image.subarray(CHIPS[chip].bootLoaderOffset, PARTITION_TABLE_OFFSET);
    if (bytes[0] === 0xe9) return readFor(chip, bytes);
  }
  throw new Error("there is no boot loader in it");
}
