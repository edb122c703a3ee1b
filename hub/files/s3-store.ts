/**
 * Files in a bucket of S3-compatible storage, which every process reaches without a common directory. Names are
 * `files/SHA-256`; `files.hub` has the id of the hub. The server checks each file that is stored against its SHA-256, which is
 * part of the signature. A request that fails is tried again a few times.
 */
import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { setTimeout } from "node:timers/promises";
import { AwsClient } from "aws4fetch";
import { Fault } from "../../protocol/fault.js";
import type { FileStore } from "./file-store.js";
import type { StoredPart } from "./send-file.js";

export interface S3Config {
  /** `https://s3.example.com`, without the bucket. */
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  readonly accessKey: string;
  readonly secretKey: string;
}

/** Tries after the first one, and the wait before the first of them, which doubles. */
const RETRIES = 3;
const RETRY_MS = 100;

/** For a request without a large body. */
const TIMEOUT_MS = 10_000;

/** For a file: 16 MiB at two megabits a second. */
const FILE_TIMEOUT_MS = 120_000;

/** `Retry-After` while the storage is unavailable. */
const BUSY_RETRY_S = 5;

/** As for files in a directory: writing a file and its row takes less time. */
const LEFTOVER_AGE_MS = 3_600_000;

const OWNER = "files.hub";
const DIRECTORY = "files/";
const NAME = /^[0-9a-f]{64}$/;

/** @throws {Fault} `busy` from every method while the storage cannot be reached, or refuses the hub */
export class S3Store implements FileStore {
  readonly #client: AwsClient;
  readonly #base: string;
  readonly #now: () => number;

  constructor({ endpoint, bucket, region, accessKey, secretKey }: S3Config, now = Date.now) {
    this.#client = new AwsClient({
      accessKeyId: accessKey,
      secretAccessKey: secretKey,
      service: "s3",
      region,
      retries: RETRIES,
      initRetryMs: RETRY_MS,
    });
    this.#base = `${endpoint}/${bucket}`;
    this.#now = now;
  }

  async put(content: Uint8Array): Promise<string> {
    const sha256 = createHash("sha256").update(content).digest("hex");
    const found = await this.#ask("HEAD", this.#file(sha256), {}, [200, 404]);
    if (found.status === 200 && Number(found.headers.get("content-length")) === content.length) return sha256;
    const init = { body: content as Uint8Array<ArrayBuffer>, headers: { "x-amz-content-sha256": sha256 } };
    await this.#ask("PUT", this.#file(sha256), init, [200], FILE_TIMEOUT_MS);
    return sha256;
  }

  async part(sha256: string): Promise<StoredPart> {
    const file = this.#file(sha256);
    const { headers, status } = await this.#ask("HEAD", file, {}, [200, 404]);
    if (status === 404) throw missing(sha256);
    return {
      start: 0,
      end: Number(headers.get("content-length")),
      stream: (start, end) => Readable.from(this.#bytes(file, start, end)),
    };
  }

  async read(sha256: string): Promise<Buffer> {
    const file = this.#file(sha256);
    const answer = await this.#ask("GET", file, {}, [200, 404], FILE_TIMEOUT_MS);
    if (answer.status === 404) throw missing(sha256);
    try {
      return Buffer.from(await answer.arrayBuffer());
    } catch (cause) {
      throw unreachable("the connection was lost", cause);
    }
  }

  async delete(sha256: string): Promise<void> {
    await this.#ask("DELETE", this.#file(sha256), {}, [200, 204, 404]);
  }

  async old(): Promise<readonly string[]> {
    const before = this.#now() - LEFTOVER_AGE_MS;
    const old: string[] = [];
    let next: string | undefined;
    do {
      const query = new URLSearchParams({ "list-type": "2", prefix: DIRECTORY });
      if (next !== undefined) query.set("continuation-token", next);
      const page = readPage((await this.#text(`?${query}`, [200])).text);
      for (const { name, at } of page.entries) if (NAME.test(name) && at < before) old.push(name);
      next = page.next;
    } while (next !== undefined);
    return old;
  }

  /** Two hubs that use a new bucket at the same moment get one owner: what is read last counts. */
  async owner(hubId: string): Promise<string> {
    const found = await this.#owner();
    if (found !== undefined) return found;
    await this.#ask("PUT", `/${OWNER}`, { body: hubId }, [200]);
    return (await this.#owner()) ?? hubId;
  }

  /** Reads alone: a file that is written for each check would cost money. */
  async check(): Promise<void> {
    await this.#ask("HEAD", `/${OWNER}`, {}, [200, 404]);
  }

  async #owner(): Promise<string | undefined> {
    const { status, text } = await this.#text(`/${OWNER}`, [200, 404]);
    return status === 200 && text.trim() !== "" ? text.trim() : undefined;
  }

  async *#bytes(file: string, start: number, end: number): AsyncGenerator<Uint8Array> {
    const ending = new AbortController();
    const init = { headers: { range: `bytes=${start}-${end - 1}` }, signal: ending.signal };
    try {
      const answer = await this.#ask("GET", file, init, [206]);
      yield* Readable.fromWeb(answer.body as ReadableStream);
    } finally {
      ending.abort(); // a client that has gone needs no further bytes
    }
  }

  /**
   * Reads a short answer. Where the connection is lost within it, it is asked for again: some storage cuts off what another
   * hub writes at the same moment.
   * @throws {Fault} `busy`
   */
  async #text(path: string, expected: readonly number[]): Promise<{ status: number; text: string }> {
    for (let tries = 0; ; tries++) {
      const answer = await this.#ask("GET", path, {}, expected);
      try {
        return { status: answer.status, text: await answer.text() };
      } catch (cause) {
        if (tries === RETRIES) throw unreachable("the connection was lost", cause);
        await setTimeout(RETRY_MS * 2 ** tries);
      }
    }
  }

  /**
   * @param path below the bucket
   * @param expected statuses
   * @throws {Fault} `busy`
   */
  async #ask(
    method: string,
    path: string,
    init: RequestInit,
    expected: readonly number[],
    timeoutMs = TIMEOUT_MS,
  ): Promise<Response> {
    let answer: Response;
    try {
      const signal = init.signal ?? AbortSignal.timeout(timeoutMs);
      answer = await this.#client.fetch(`${this.#base}${path}`, { ...init, method, signal });
    } catch (cause) {
      throw unreachable("it does not answer", cause);
    }
    if (expected.includes(answer.status)) return answer;
    await answer.body?.cancel();
    throw unreachable(`it answers ${method} with ${answer.status}`);
  }

  /** Names are our own hashes from the database; another name is a bug. */
  #file(sha256: string): string {
    if (!NAME.test(sha256)) throw new RangeError(`Cannot find a file by "${sha256}"`);
    return `/${DIRECTORY}${sha256}`;
  }
}

function missing(sha256: string): Fault {
  return new Fault("file_damaged", `File ${sha256} is not in the hub's storage`);
}

function unreachable(reason: string, cause?: unknown): Fault {
  return new Fault("busy", `The hub cannot use its storage of files: ${reason}`, {
    cause,
    details: { retry_after_s: BUSY_RETRY_S },
  });
}

/**
 * Reads an answer of ListObjectsV2. What matters in it has no XML of its own: our names, times, and a token, in which the
 * five entities may be.
 */
function readPage(xml: string) {
  const entries = [...xml.matchAll(/<Contents>(.*?)<\/Contents>/gs)].map(([, entry = ""]) => ({
    name: (memberOf(entry, "Key") ?? "").slice(DIRECTORY.length),
    at: Date.parse(memberOf(entry, "LastModified") ?? ""),
  }));
  return { entries, next: memberOf(xml, "NextContinuationToken") };
}

const ENTITIES: Readonly<Record<string, string>> = Object.freeze({
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&apos;": "'",
  "&amp;": "&",
});

function memberOf(xml: string, name: string): string | undefined {
  const text = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];
  return text?.replaceAll(/&(?:lt|gt|quot|apos|amp);/g, (entity) => ENTITIES[entity] ?? entity);
}
