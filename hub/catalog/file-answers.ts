/** Packages, with the signatures that go with them (section 13 of the decisions), and icons, as they are sent. */
import { sign } from "node:crypto";
import { Fault } from "../../protocol/fault.js";
import type { HubConfig } from "../config/hub-config.js";
import type { HubContext } from "../context.js";
import type { Row } from "../database/schema.js";
import type { ContentStore } from "../files/content-store.js";
import type { SentFile } from "../files/send-file.js";
import { storedPart } from "../files/stored-part.js";

/** @throws {Fault} `file_damaged` */
export async function packageAnswer(
  { config, files }: Pick<HubContext, "config" | "files">,
  version: Row<"app_versions">,
): Promise<SentFile> {
  const { app_id, sha256, size_bytes } = version;
  return {
    parts: [await storedPart(files, sha256, size_bytes)],
    sha256,
    mediaType: "application/gzip",
    fields: {
      "content-disposition": `attachment; filename="${app_id}-${version.version}.svcpkg"`,
      "cache-control": "private, no-cache", // which version is the newest changes; the tag says whether it has
      ...signatureFields(config, version),
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

/** The hub's own where it signs, so that consoles need to trust its key alone. */
function signatureFields(
  { signingKey }: Pick<HubConfig, "signingKey">,
  { sha256, signature }: Row<"app_versions">,
): Record<string, string> {
  if (!signingKey) return { "x-svc-signature": signature };
  const own = sign(null, Buffer.from(sha256, "hex"), signingKey).toString("hex");
  return { "x-svc-signature": own, "x-svc-publisher-signature": signature };
}
