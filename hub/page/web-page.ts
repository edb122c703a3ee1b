/** Serves the web console at `/`, the player at `/play/` and the fleet at `/fleet/`: pages and their scripts, kept in memory, plain and compressed. */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { FLEET_FILES } from "../../tools/fleet-files.js";
import { PLAYER_FILES } from "../../tools/player-files.js";
import { PAGE_FILES } from "../../tools/web-page-files.js";
import { type SentFile, sendFile } from "../files/send-file.js";

export interface WebFile {
  readonly path: string;
  readonly plain: SentFile;
  readonly compressed: SentFile;
}

/**
 * @param directory the output of tools/web-page.ts
 * @throws {Error} if the web console is not built
 */
export function readPage(directory: string): Promise<readonly WebFile[]> {
  return Promise.all(
    PAGE_FILES.map(async ({ path: at, name, mediaType }) => {
      const file = path.join(directory, name);
      const [plain, compressed] = await Promise.all([readFile(file), readFile(`${file}.gz`)]);
      return webFile({ path: at, mediaType, plain, compressed });
    }),
  );
}

/**
 * @param directory the output of tools/player-page.ts
 * @throws {Error} if the player is not built
 */
export function readPlayer(directory: string): Promise<readonly WebFile[]> {
  return Promise.all(
    PLAYER_FILES.map(async ({ path: below, name, mediaType, fields }) => {
      const file = path.join(directory, name);
      const [plain, compressed] = await Promise.all([readFile(file), readFile(`${file}.gz`)]);
      return webFile({ path: `/play/${below}`, mediaType, plain, compressed, fields });
    }),
  );
}

/**
 * @param directory the output of tools/fleet-page.ts
 * @throws {Error} if the pages of fleets are not built
 */
export function readFleet(directory: string): Promise<readonly WebFile[]> {
  return Promise.all(
    FLEET_FILES.map(async ({ path: below, name, mediaType, fields }) => {
      const file = path.join(directory, name);
      const [plain, compressed] = await Promise.all([readFile(file), readFile(`${file}.gz`)]);
      return webFile({ path: `/fleet/${below}`, mediaType, plain, compressed, fields });
    }),
  );
}

export interface WebFileBytes {
  readonly path: string;
  readonly mediaType: string;
  /** Further fields of the answer; a policy replaces the usual one. */
  readonly fields?: Readonly<Record<string, string>>;
  readonly plain: Uint8Array;
  /** The same in gzip. */
  readonly compressed: Uint8Array;
}

export function webFile({ path, mediaType, plain, compressed, fields = {} }: WebFileBytes): WebFile {
  return {
    path,
    plain: sentFile(plain, { mediaType, fields }),
    compressed: sentFile(compressed, { mediaType, fields: { ...fields, "content-encoding": "gzip" } }),
  };
}

/** The plain and the compressed file have different ETags. */
function sentFile(
  bytes: Uint8Array,
  { mediaType, fields }: Pick<SentFile, "mediaType" | "fields">,
): SentFile {
  return {
    parts: [{ bytes }],
    sha256: createHash("sha256").update(bytes).digest("hex"),
    mediaType,
    fields: {
      // not possible in the page itself, unlike the rest of the policy
      "content-security-policy": "frame-ancestors 'none'",
      ...fields,
      vary: "accept-encoding",
      "cache-control": "no-cache", // another hub program may contain another page; the ETag detects it
    },
  };
}

/**
 * The page needs no token: its user's tokens grant access to the API. Without its slash, the address of a folder leads to it.
 * @returns the paths
 */
export function addPage(server: FastifyInstance, page: readonly WebFile[]): readonly string[] {
  for (const { path, plain, compressed } of page)
    server.get(path, (request, reply) =>
      sendFile(request, reply, takesGzip(request.headers) ? compressed : plain),
    );
  const paths = page.map(({ path }) => path);
  return [...paths, ...paths.filter((at) => /.\/$/.test(at)).map((at) => addRedirect(server, at))];
}

/**
 * @param folder such as `/play/`
 * @returns the path without the slash
 */
export function addRedirect(server: FastifyInstance, folder: string): string {
  const path = folder.slice(0, -1);
  // Relative, so that a proxy may have the hub below any path.
  const target = folder.slice(folder.lastIndexOf("/", folder.length - 2) + 1);
  server.get(path, ({ url }, reply) => reply.redirect(target + (/\?.*$/.exec(url)?.[0] ?? ""), 308));
  return path;
}

/** RFC 9110 §12.5.3; a client without the field may not support gzip. */
export function takesGzip(headers: FastifyRequest["headers"]): boolean {
  const codings = String(headers["accept-encoding"] ?? "").toLowerCase();
  const named = weightOf(codings, "gzip") ?? weightOf(codings, "x-gzip") ?? weightOf(codings, "*");
  return named !== undefined && named > 0;
}

function weightOf(codings: string, wanted: string): number | undefined {
  for (const coding of codings.split(",")) {
    const [name, ...parameters] = coding.split(";").map((part) => part.trim());
    const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? "1";
    if (name === wanted) return Number(weight);
  }
  return undefined;
}
