/** Published firmware, by architecture and version. */
import { Fault } from "../../protocol/fault.js";
import { hexadecimal } from "../../protocol/hexadecimal.js";
import { compareVersions } from "../../protocol/version.js";
import { countRows, type Page } from "../api/answers.js";
import type { HubContext } from "../context.js";
import type { Database, Row } from "../database/schema.js";
import { versionOrder } from "../database/version-order.js";
import { fileTransaction } from "../files/file-transaction.js";
import type { ContentPart } from "../files/send-file.js";
import type { Upload } from "../files/uploads.js";
import { requireActivePublisher, requireArchitectureRight } from "../publishers/publisher-rights.js";
import type { Publishers } from "../publishers/publishers.js";
import { checkBundle, requireStated } from "./check-bundle.js";
import { type ServedBundle, ServedBundles } from "./served-bundles.js";

/**
 * Characters of a version's notes: some pages. Any field of a form has less than 16 KiB
 * (docs/spec/hub-api.md#firmware-publish).
 */
export const NOTES_LIMIT_CHARACTERS = 4096;

interface FirmwaresOptions extends HubContext {
  readonly publishers: Publishers;
}

export class Firmwares {
  readonly #options: FirmwaresOptions;
  readonly #served: ServedBundles;

  constructor(options: FirmwaresOptions) {
    this.#options = options;
    this.#served = new ServedBundles(options);
  }

  /**
   * Publishes a bundle. A newer version may come from another publisher.
   * @param upload with the optional texts `version`, `arch` and `notes`
   * @throws {Fault} what {@link checkBundle} and {@link requireStated} throw; `forbidden` for an architecture that the
   *   publisher has no right for, `version_exists`, `version_not_newer`, `storage_full`
   */
  async publish(publisherId: string, { bytes, sha256, texts }: Upload): Promise<Row<"firmware">> {
    // A form writes every line break as CRLF (HTML, multipart/form-data encoding).
    const notes = (texts["notes"] ?? "").replaceAll("\r\n", "\n");
    requireNotes(notes);
    const keys = await this.#options.publishers.keys.active(publisherId);
    const { image, signature, publicKey } = await checkBundle(bytes, keys);
    requireStated(image, { version: texts["version"], arch: texts["arch"] });
    const row: Row<"firmware"> = {
      arch: image.architecture,
      version: image.version,
      version_order: versionOrder(image.version),
      publisher_id: publisherId,
      board: image.board,
      sha256: hexadecimal(sha256),
      size_bytes: bytes.length,
      signature,
      notes,
      published_at: this.#options.now(),
      public_key: publicKey,
      withdrawn_at: null,
    };
    await this.#keep(row, bytes);
    return row;
  }

  /**
   * @param version the newest version on offer by default
   * @throws {Fault} `firmware_not_found`, `firmware_withdrawn`
   */
  async require(arch: string, version?: string): Promise<Row<"firmware">> {
    const found =
      version === undefined
        ? await newestOf(this.#options.database, arch)
        : await this.#options.database
            .selectFrom("firmware")
            .selectAll()
            .where("arch", "=", arch)
            .where("version", "=", version)
            .executeTakeFirst();
    if (found) return requireOffered(found);
    const wanted = version === undefined ? "firmware" : `firmware ${version}`;
    throw new Fault("firmware_not_found", `There is no ${wanted} for ${arch}`);
  }

  /**
   * The architectures with firmware, or with this version of it. Includes withdrawn ones, to report them as withdrawn.
   */
  async architectures(version?: string): Promise<readonly string[]> {
    let chosen = this.#options.database.selectFrom("firmware").select("arch").distinct();
    if (version !== undefined) chosen = chosen.where("version", "=", version);
    else chosen = chosen.where("withdrawn_at", "is", null);
    const rows = await chosen.orderBy("arch").execute();
    return rows.map(({ arch }) => arch);
  }

  /** A page of all firmware on offer, last published first. */
  async list(
    arch: string | undefined,
    { perPage, offset }: Page,
  ): Promise<{ readonly total: number; readonly firmware: readonly Row<"firmware">[] }> {
    let chosen = this.#options.database.selectFrom("firmware").where("withdrawn_at", "is", null);
    if (arch !== undefined) chosen = chosen.where("arch", "=", arch);
    const total = await countRows(chosen);
    const firmware = await chosen
      .selectAll()
      .orderBy("published_at", "desc")
      .orderBy("version_order", "desc")
      .orderBy("arch")
      .limit(perPage)
      .offset(offset)
      .execute();
    return { total, firmware };
  }

  /** Describes the bundle as the hub serves it. @throws {Fault} `file_damaged` */
  served(firmware: Row<"firmware">): Promise<ServedBundle> {
    return this.#served.get(firmware);
  }

  /** The bytes of the bundle as the hub serves it. @throws {Fault} `file_damaged` */
  servedParts(firmware: Row<"firmware">): Promise<readonly ContentPart[]> {
    return this.#served.parts(firmware);
  }

  /** The signature in the bundle as the hub serves it: its publisher's, or the hub's own. 128 hexadecimal digits. */
  async servedSignature(firmware: Row<"firmware">): Promise<string> {
    return (await this.served(firmware)).signature;
  }

  /** Writes the row before the file: a concurrent upload fails at the row and stores no file. */
  async #keep(row: Row<"firmware">, bytes: Uint8Array): Promise<void> {
    await fileTransaction(this.#options, async (transaction, put) => {
      const publisher = await requireActivePublisher(transaction, row.publisher_id, row.public_key);
      requireArchitectureRight(publisher, row.arch);
      await requireNewer(transaction, row);
      await transaction.insertInto("firmware").values(row).execute();
      await put(bytes);
    });
  }
}

async function requireNewer(database: Database, { arch, version }: Row<"firmware">): Promise<void> {
  const same = await database
    .selectFrom("firmware")
    .select("version")
    .where("arch", "=", arch)
    .where("version", "=", version)
    .executeTakeFirst();
  if (same) throw new Fault("version_exists", `Firmware ${version} for ${arch} exists already`);
  const newest = await newestOf(database, arch);
  if (newest && compareVersions(version, newest.version) < 0)
    throw new Fault(
      "version_not_newer",
      `Cannot accept firmware ${version} for ${arch}: the newest is ${newest.version}`,
    );
}

/**
 * Ignores withdrawn firmware, so that older versions stay allowed: an attacker with a stolen key may have published
 * 99.0.0.
 */
async function newestOf(database: Database, arch: string): Promise<Row<"firmware"> | undefined> {
  return await database
    .selectFrom("firmware")
    .selectAll()
    .where("arch", "=", arch)
    .where("withdrawn_at", "is", null)
    .orderBy("version_order", "desc")
    .limit(1)
    .executeTakeFirst();
}

function requireOffered(row: Row<"firmware">): Row<"firmware"> {
  if (row.withdrawn_at === null) return row;
  throw new Fault("firmware_withdrawn", `Firmware ${row.version} for ${row.arch} has been withdrawn`);
}

function requireNotes(notes: string): void {
  if ([...notes].length > NOTES_LIMIT_CHARACTERS)
    throw new Fault("bad_parameter", `"notes" has more than ${NOTES_LIMIT_CHARACTERS} characters`);
}
