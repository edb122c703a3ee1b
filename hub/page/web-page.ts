/** Serves the web console at `/`: a page and its scripts, kept in memory, plain and compressed. */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { FastifyInstance, FastifyRequest } from "fastify";
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

export interface WebFileBytes {
  readonly path: string;
  readonly mediaType: string;
  readonly plain: Uint8Array;
  /** The same in gzip. */
  readonly compressed: Uint8Array;
}

export function webFile({ path, mediaType, plain, compressed }: WebFileBytes): WebFile {
  return {
    path,
    plain: sentFile(plain, { mediaType }),
    compressed: sentFile(compressed, { mediaType, fields: { "content-encoding": "gzip" } }),
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
      ...fields,
      vary: "accept-encoding",
      "cache-control": "no-cache", // another hub program may contain another page; the ETag detects it
      // not possible in the page itself, unlike the rest of the policy
      "content-security-policy": "frame-ancestors 'none'",
    },
  };
}

/** The page needs no token: its user's tokens grant access to the API. */
export function addPage(server: FastifyInstance, page: readonly WebFile[]): void {
  for (const { path, plain, compressed } of page)
    server.get(path, (request, reply) =>
      sendFile(request, reply, takesGzip(request.headers) ? compressed : plain),
    );
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
