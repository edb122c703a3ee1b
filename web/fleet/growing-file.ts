/**
 * A file that a page writes piece by piece, and that the user then downloads. It grows on the disk, in the browser's own
 * directory for this origin (File System Standard), so that no page holds all of it. Browsers without that, and pages over plain
 * HTTP elsewhere than on this machine, collect `Blob`s: those are the browser's, outside of the page's own memory.
 */

/** Characters that are collected before they are written. */
const PIECE_CHARACTERS = 65_536;

/** The browser reads a file that is being downloaded: it stays for as long as that may take. */
const KEPT_MS = 3_600_000;

const PREFIX = "svc-download-";
/** Of such a file; group 1 is when it was begun. */
const NAME = new RegExp(`^${PREFIX}(\\d+)-`);

/** What takes the pieces. */
interface Pieces {
  write(text: string): Promise<void>;
  /** @returns the whole, once all is written */
  end(): Promise<Blob>;
  discard(): Promise<void>;
}

export class GrowingFile {
  readonly #pieces: Pieces;
  #collected = "";

  private constructor(pieces: Pieces) {
    this.#pieces = pieces;
  }

  static async open(): Promise<GrowingFile> {
    return new GrowingFile((await piecesOnDisk()) ?? blobs());
  }

  /** Resolves once there is room for more. */
  async write(text: string): Promise<void> {
    this.#collected += text;
    if (this.#collected.length >= PIECE_CHARACTERS) await this.#flush();
  }

  async end(): Promise<Blob> {
    await this.#flush();
    return this.#pieces.end();
  }

  /** Removes what was written, and nothing else can be done with the file. */
  discard(): Promise<void> {
    return this.#pieces.discard();
  }

  async #flush(): Promise<void> {
    const text = this.#collected;
    this.#collected = "";
    await this.#pieces.write(text);
  }
}

/** @returns `undefined` where the browser has no such directory, or no room in it for this page */
async function piecesOnDisk(): Promise<Pieces | undefined> {
  try {
    const directory = await navigator.storage.getDirectory();
    await removeOld(directory);
    const name = `${PREFIX}${Date.now()}-${crypto.randomUUID()}`;
    const file = await directory.getFileHandle(name, { create: true });
    const stream = await file.createWritable();
    return {
      write: (text) => stream.write(text),
      async end() {
        await stream.close();
        return file.getFile();
      },
      async discard() {
        await stream.abort().catch(() => {}); // it could not be closed
        await directory.removeEntry(name);
      },
    };
  } catch {
    return undefined; // Blobs do
  }
}

/** Removes files of earlier downloads. */
export async function removeOldDownloads(): Promise<void> {
  const directory = await navigator.storage?.getDirectory?.().catch(() => undefined);
  if (directory) await removeOld(directory).catch(() => undefined); // another page is doing it
}

async function removeOld(directory: FileSystemDirectoryHandle): Promise<void> {
  for await (const name of directory.keys()) {
    const [, at] = NAME.exec(name) ?? [];
    if (at !== undefined && Date.now() - Number(at) > KEPT_MS) await directory.removeEntry(name);
  }
}

function blobs(): Pieces {
  let parts: Blob[] = [];
  return {
    async write(text) {
      parts.push(new Blob([text]));
    },
    end: async () => new Blob(parts),
    async discard() {
      parts = [];
    },
  };
}
