/**
 * The lines of an app's sources (tools/trap-lines.ts), which its publisher stores beside a version, and by which it, and the holders of
 * consoles, read the traps that consoles report. They are files of strangers: bounded, and checked when they come.
 */
import { createHash } from "node:crypto";
import { Fault } from "../../protocol/fault.js";
import { isSameApp } from "../../protocol/manifest/app-name.js";
import {
  readTrapLines,
  type TrapFrame,
  type TrapLines,
  trapFrames,
  withLines,
} from "../../tools/trap-lines.js";
import type { HubContext } from "../context.js";
import type { Row } from "../database/schema.js";
import { deleteUnnamed, fileTransaction } from "../files/file-transaction.js";
import type { AppCrash } from "../history/history.js";
import { checkPackage } from "../packages/check-package.js";
import { RecentMap } from "../recent-map.js";
import type { Catalog } from "./catalog.js";

/** Less than tools take: a hub reads them for each trap. It takes some ten milliseconds. */
export const HUB_LINES_LIMIT_BYTES = 512 * 1024;
/** Pieces of code with a line: some fifty milliseconds to read. Apps of 100 KB have 20,000. */
const SEGMENTS_LIMIT = 50_000;
/** Lines that are kept once they were read: some megabytes each. */
const READ_LIMIT = 8;
/** A console's line of the log has at most 512 bytes. */
export const TRAP_LIMIT_CHARACTERS = 1024;

export interface ToldTrap {
  /** With files and lines in place of offsets. */
  readonly message: string;
  readonly stack: readonly TrapFrame[];
}

export class AppLines {
  readonly #context: HubContext;
  readonly #catalog: Catalog;
  /** Those read last, by SHA-256. */
  readonly #read = new RecentMap<string, TrapLines>(READ_LIMIT);

  constructor(context: HubContext, catalog: Catalog) {
    this.#context = context;
    this.#catalog = catalog;
  }

  /**
   * Stores the lines of the version that they name, in place of earlier ones.
   * @param owned a row of the caller's
   * @throws {Fault} `lines_invalid`, `app_retracted`, `version_not_found`, `storage_full`
   */
  async store(owned: Row<"apps">, bytes: Uint8Array): Promise<Row<"app_versions">> {
    const lines = readTrapLines(Buffer.from(bytes).toString("utf8"), SEGMENTS_LIMIT);
    if (!lines) throw invalid(`they are not those of an app with at most ${SEGMENTS_LIMIT} pieces`);
    const { app, version, moduleSha256 } = lines.owner;
    if (!isSameApp(app, owned.id)) throw invalid(`they are those of "${app}"`);
    const row = await this.#catalog.requirePublished(owned, version);
    const expected = await this.#moduleOf(row);
    if (expected === undefined)
      throw invalid("the app is machine code alone, whose traps name no places in a module");
    if (moduleSha256 !== expected) throw invalid("they are those of another module");
    const lines_sha256 = createHash("sha256").update(bytes).digest("hex");
    await fileTransaction(this.#context, async (transaction, put) => {
      await transaction
        .updateTable("app_versions")
        .set({ lines_sha256 })
        .where("app_id", "=", owned.id)
        .where("version", "=", version)
        .execute();
      await put(bytes);
    });
    if (row.lines_sha256 !== null) await deleteUnnamed(this.#context, [row.lines_sha256]);
    return { ...row, lines_sha256 };
  }

  /** SHA-256 of the module in the version's package; `undefined` if it is machine code alone. */
  async #moduleOf({ sha256 }: Row<"app_versions">): Promise<string | undefined> {
    const { config, files } = this.#context;
    const { module } = await checkPackage(await files.read(sha256), config.maxPackageBytes);
    return module && createHash("sha256").update(module).digest("hex");
  }

  /**
   * @param owned a row of the caller's
   * @param message a line of a console's log, or its message
   * @param version of the app that has trapped; default: the newest
   * @throws {Fault} `lines_not_found`, `bad_parameter` if it reports no trap of the app, and as {@link store}
   */
  async tell(
    owned: Row<"apps">,
    { message, version }: { readonly message: string; readonly version?: string | undefined },
  ): Promise<ToldTrap> {
    return this.#tell(await this.#catalog.requirePublished(owned, version), message);
  }

  /**
   * @param crash as a console has told of it
   * @throws {Fault} `app_not_found`, `app_retracted`, `version_not_found`, and as {@link tell}
   */
  async tellCrash({ app_id, version, message }: AppCrash): Promise<ToldTrap> {
    return this.#tell(await this.#catalog.requireVersion(app_id, version), message);
  }

  async #tell(row: Row<"app_versions">, message: string): Promise<ToldTrap> {
    const text = message.slice(Math.max(0, message.indexOf('"')));
    const lines = await this.#linesOf(row);
    const stack = trapFrames(text, lines);
    if (!stack) throw new Fault("bad_parameter", `"message" does not report a trap of "${row.app_id}"`);
    return { message: message.slice(0, message.length - text.length) + withLines(text, lines), stack };
  }

  async #linesOf({ app_id, version, lines_sha256 }: Row<"app_versions">): Promise<TrapLines> {
    if (lines_sha256 === null)
      throw new Fault("lines_not_found", `"${app_id}" ${version} has no lines of its sources`);
    const known = this.#read.get(lines_sha256);
    if (known) return known;
    const lines = readTrapLines((await this.#context.files.read(lines_sha256)).toString("utf8"));
    if (!lines) throw new Fault("file_damaged", `Cannot read the lines of "${app_id}" ${version}`);
    this.#read.set(lines_sha256, lines);
    return lines;
  }
}

function invalid(reason: string): Fault {
  return new Fault("lines_invalid", `Cannot accept the lines: ${reason}`);
}
