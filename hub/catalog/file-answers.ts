/**
 * Responses with packages, their signatures (docs/spec/hub-api.md#catalog-download), and icons.
 */
import { sign } from "node:crypto";
import { Fault } from "../../protocol/fault.js";
import { voucherText } from "../../protocol/signature/statements.js";
import type { HubConfig } from "../config/hub-config.js";
import type { HubContext } from "../context.js";
import type { Row } from "../database/schema.js";
import type { ContentStore } from "../files/content-store.js";
import type { SentFile } from "../files/send-file.js";
import { storedPart } from "../files/stored-part.js";

/**
 * @param succession which leads to the key that has signed the version, where there is one
 * @throws {Fault} `file_damaged`
 */
export async function packageAnswer(
  { config, files }: Pick<HubContext, "config" | "files">,
  version: Row<"app_versions">,
  succession: string | null,
): Promise<SentFile> {
  const { app_id, sha256, size_bytes } = version;
  return {
    parts: [await storedPart(files, sha256, size_bytes)],
    sha256,
    mediaType: "application/gzip",
    fields: {
      "content-disposition": `attachment; filename="${app_id}-${version.version}.svcpkg"`,
      "cache-control": "private, no-cache", // the newest version changes; the ETag detects it
      ...signatureFields(config, version),
      ...(succession !== null && { "x-svc-publisher-succession": succession }),
    },
  };
}

/** @throws {Fault} `icon_not_found`, `file_damaged` */
export async function iconAnswer(files: ContentStore, app: Row<"apps">): Promise<SentFile> {
  const { id, icon_sha256: sha256 } = app;
  if (sha256 === null) throw new Fault("icon_not_found", `"${id}" has no icon`);
  const { path, sizeBytes } = await files.open(sha256);
  return {
    parts: [{ path, start: 0, end: sizeBytes }],
    sha256,
    mediaType: "image/bmp",
    fields: { "cache-control": "public, no-cache" },
  };
}

/**
 * The hub's own signature if it has a key, so that consoles need to trust only that key. The hub then also names the
 * publisher's key and vouches for it: the publisher is a part of the app's identity
 * (docs/spec/app-packages.md#voucher).
 */
function signatureFields(
  { signingKey }: Pick<HubConfig, "signingKey">,
  { sha256, signature, public_key }: Row<"app_versions">,
): Record<string, string> {
  if (!signingKey) return { "x-svc-signature": signature };
  const digest = Buffer.from(sha256, "hex");
  const own = {
    "x-svc-signature": sign(null, digest, signingKey).toString("hex"),
    "x-svc-publisher-signature": signature,
  };
  if (public_key === "") return own; // the signing key is no longer known
  const statement = voucherText(digest, Buffer.from(public_key, "hex"));
  return {
    ...own,
    "x-svc-publisher-key": public_key,
    "x-svc-publisher-voucher": sign(null, Buffer.from(statement), signingKey).toString("hex"),
  };
}
