/** Endpoints below `/catalog`. */
import { sign } from "node:crypto";
import Type from "typebox";
import { Fault, type FaultCode } from "../../protocol/fault.js";
import {
  APP_RECORD,
  CATALOG_LIST,
  PUBLISHED_ENTRY,
  type PublishedEntry,
  TOLD_TRAP,
} from "../../protocol/hub/answers/catalog.js";
import { voucherText } from "../../protocol/signature/statements.js";
import { sendJson } from "../api/answers.js";
import { type Endpoint, endpoint } from "../api/endpoint.js";
import { keptKey } from "../api/kept-answers.js";
import { publicAddress } from "../api/public-address.js";
import { callerOf } from "../auth/authentication.js";
import type { HubConfig } from "../config/read-config.js";
import type { HubContext } from "../context.js";
import type { Row } from "../database/schema.js";
import { type FileStore, storedPart } from "../files/file-store.js";
import { isHeld, type SentFile, sendFile, sendUnchanged } from "../files/send-file.js";
import type { UploadForm } from "../files/uploads.js";
import type { HubServices } from "../services.js";
import { HUB_LINES_LIMIT_BYTES, TRAP_LIMIT_CHARACTERS } from "./app-lines.js";
import { catalogEntry } from "./app-record.js";
import type { OfferedVersion } from "./catalog.js";
import { CATALOG_QUERY, type TaggedList } from "./catalog-list.js";
import { trapAnswer } from "./trap-answer.js";

// Responses with packages, their signatures (docs/spec/hub-api.md#catalog-download), and icons.

/** @throws {Fault} `file_damaged` */
async function packageAnswer(
  { config, files }: Pick<HubContext, "config" | "files">,
  { row, succession }: OfferedVersion,
): Promise<SentFile> {
  const { app_id, sha256, size_bytes, version } = row;
  return {
    parts: [await storedPart(files, sha256, size_bytes)],
    sha256,
    mediaType: "application/gzip",
    fields: {
      "content-disposition": `attachment; filename="${app_id}-${version}.svcpkg"`,
      "cache-control": "private, no-cache", // the newest version changes; the ETag detects it
      ...signatureFields(config, row),
      ...(succession !== null && { "x-svc-publisher-succession": succession }),
    },
  };
}

/** @throws {Fault} `icon_not_found`, `file_damaged` */
async function iconAnswer(files: FileStore, app: Row<"apps">): Promise<SentFile> {
  const { id, icon_sha256: sha256 } = app;
  if (sha256 === null) throw new Fault("icon_not_found", `"${id}" has no icon`);
  return {
    parts: [await files.part(sha256)],
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

const TAG = "Catalogue";
const APP = Type.Object({ id: Type.String({ description: "The app's name" }) });

const PUBLISH_FORM = Type.Object({
  package: Type.Unsafe<Uint8Array>({ type: "string", format: "binary", description: "The `.svcpkg`" }),
  signature: Type.String({ description: "Ed25519 over the package's SHA-256: 128 hexadecimal digits" }),
  name: Type.Optional(Type.String({ description: "The display name, as `PUT` sets it" })),
});

const CHANGE = Type.Object({
  name: Type.Optional(Type.String({ description: 'The display name, at most 64 characters; `""` for none' })),
  description: Type.Optional(Type.String({ description: "At most 128 characters" })),
  author: Type.Optional(Type.String({ description: "At most 128 characters" })),
});

/** Faults of an uploaded package: those that a console detects too, and those of the catalogue. */
const PACKAGE_FAULTS: readonly FaultCode[] = Object.freeze([
  ...(["package_too_large", "media_type_unsupported", "signature_missing", "signature_invalid"] as const),
  ...(["package_invalid", "manifest_invalid", "module_invalid", "module_unsupported"] as const),
  ...(["import_unknown", "capability_missing", "entry_missing", "quota_exceeded"] as const),
  ...(["variant_invalid", "icon_invalid", "not_owner", "version_exists", "version_not_newer"] as const),
  "storage_full",
]);

function publishedEntry(app: Row<"apps">, address: string, { needsReview }: HubConfig): PublishedEntry {
  return { ...catalogEntry(app, address), ...(needsReview && { listed: false }) };
}

function formOf({ config }: HubServices): UploadForm {
  const limitBytes = config.maxPackageBytes;
  return { file: "package", texts: ["signature", "name"], limitBytes, tooLarge: "package_too_large" };
}

const LIST = endpoint({
  method: "GET",
  path: "/catalog",
  tag: TAG,
  summary: "List published apps.",
  access: "bearer",
  isCatalogue: true,
  query: CATALOG_QUERY,
  answers: { 200: CATALOG_LIST, 304: null },
  faults: [],
  handle({ catalog, config, searches }, { query, request, reply }) {
    if (query.q !== undefined) searches.take(request);
    const send = ({ json, etag }: TaggedList) => {
      reply.header("etag", etag).header("cache-control", "private, no-cache"); // kept, and asked about each time
      return isHeld(request.headers, etag) ? sendUnchanged(request, reply) : sendJson(reply, json);
    };
    const list = catalog.list(
      query,
      publicAddress(config, request),
      keptKey(request.raw, config.trustsProxy),
    );
    return list instanceof Promise ? list.then(send) : send(list);
  },
});

const READ = endpoint({
  method: "GET",
  path: "/catalog/:id",
  tag: TAG,
  summary: "Show an app with all its versions.",
  access: "bearer",
  isCatalogue: true,
  parameters: APP,
  answers: { 200: APP_RECORD },
  faults: ["app_not_found", "app_retracted"],
  handle: ({ catalog, config }, { parameters, request }) =>
    catalog.record(parameters.id, publicAddress(config, request)),
});

const DOWNLOAD = endpoint({
  method: "GET",
  path: "/catalog/:id/download",
  tag: TAG,
  summary: "Download a package, whole or in part, with its signature in `X-Svc-Signature`.",
  access: "bearer",
  isCatalogue: true,
  parameters: APP,
  query: Type.Object({ version: Type.Optional(Type.String({ description: "The newest by default" })) }),
  answers: { 200: "application/gzip", 206: "application/gzip", 304: null },
  faults: ["app_not_found", "app_retracted", "version_not_found", "range_not_satisfiable", "file_damaged"],
  async handle(services, { parameters: { id }, query, request, reply }) {
    const offered = await services.catalog.offered(id, query.version);
    const answer = await packageAnswer(services, offered);
    const onDownload = () => services.catalog.countDownload(offered.row.app_id);
    const { accelRedirect } = services.config;
    return sendFile(request, reply, { ...answer, onDownload, accelRedirect });
  },
});

const ICON = endpoint({
  method: "GET",
  path: "/catalog/:id/icon",
  tag: TAG,
  summary: "Download the icon of an app's newest version.",
  access: "anyone",
  parameters: APP,
  answers: { 200: "image/bmp", 206: "image/bmp", 304: null },
  faults: ["app_not_found", "app_retracted", "icon_not_found", "range_not_satisfiable", "file_damaged"],
  handle: async ({ catalog, files }, { parameters, request, reply }) =>
    sendFile(request, reply, await iconAnswer(files, await catalog.requireApp(parameters.id))),
});

const PUBLISH = endpoint({
  method: "POST",
  path: "/catalog/publish",
  tag: TAG,
  summary: "Publish an app, or a newer version of it.",
  access: "publisher",
  multipart: PUBLISH_FORM,
  answers: { 201: PUBLISHED_ENTRY },
  faults: PACKAGE_FAULTS,
  async handle(services, { caller, request, reply }) {
    const { catalog, config, uploads } = services;
    const { publisherId } = callerOf("publisher", caller);
    const app = await uploads.receive(request, publisherId, formOf(services), (upload) =>
      catalog.publish(publisherId, upload),
    );
    const address = publicAddress(config, request);
    reply.code(201).header("location", `${address}/catalog/${app.id}`);
    return publishedEntry(app, address, config);
  },
});

const CHANGE_APP = endpoint({
  method: "PUT",
  path: "/catalog/:id",
  tag: TAG,
  summary:
    "Change an app's display name, description and author (JSON), or publish a newer version of it (form).",
  access: "publisher",
  parameters: APP,
  body: CHANGE,
  multipart: PUBLISH_FORM,
  answers: { 200: PUBLISHED_ENTRY },
  faults: ["app_not_found", "app_retracted", ...PACKAGE_FAULTS],
  async handle(services, { caller, parameters: { id }, body, request }) {
    const { catalog, config, uploads } = services;
    const { publisherId } = callerOf("publisher", caller);
    await catalog.requireOwner(id, publisherId);
    const address = publicAddress(config, request);
    if (!request.isMultipart()) return catalogEntry(await catalog.change(id, publisherId, body), address);
    const app = await uploads.receive(request, publisherId, formOf(services), (upload) =>
      catalog.publish(publisherId, upload, id),
    );
    return publishedEntry(app, address, config);
  },
});

const RETRACT = endpoint({
  method: "DELETE",
  path: "/catalog/:id",
  tag: TAG,
  summary: "Retract an app: the catalogue no longer lists it, and its name stays reserved for the publisher.",
  access: "publisher",
  parameters: APP,
  answers: { 204: null },
  faults: ["app_not_found", "not_owner"],
  async handle({ catalog }, { caller, parameters, reply }) {
    await catalog.retract(parameters.id, callerOf("publisher", caller).publisherId);
    return reply.code(204).send();
  },
});

const LINES_FORM = Type.Object({
  lines: Type.Unsafe<Uint8Array>({ type: "string", format: "binary", description: "The `.svcpkg.lines`" }),
});

const STORE_LINES = endpoint({
  method: "PUT",
  path: "/catalog/:id/lines",
  tag: TAG,
  summary: "Store the lines of the sources of a version, by which traps are told.",
  access: "publisher",
  callsPerMinute: 30,
  parameters: APP,
  multipart: LINES_FORM,
  answers: { 200: Type.Object({ version: Type.String(), size_bytes: Type.Integer() }) },
  faults: [
    ...(["app_not_found", "app_retracted", "not_owner", "version_not_found", "lines_invalid"] as const),
    ...(["file_too_large", "media_type_unsupported", "file_damaged", "storage_full"] as const),
  ],
  async handle({ appLines, catalog, uploads }, { caller, parameters: { id }, request }) {
    const { publisherId } = callerOf("publisher", caller);
    const owned = await catalog.requireOwner(id, publisherId);
    const form: UploadForm = {
      file: "lines",
      texts: [],
      limitBytes: HUB_LINES_LIMIT_BYTES,
      tooLarge: "file_too_large",
    };
    return uploads.receive(request, publisherId, form, async ({ bytes }) => {
      const { version } = await appLines.store(owned, bytes);
      return { version, size_bytes: bytes.length };
    });
  },
});

const TELL_TRAP = endpoint({
  method: "POST",
  path: "/catalog/:id/trap",
  tag: TAG,
  summary: "Tell files and lines of a trap that a console's log reports.",
  access: "publisher",
  callsPerMinute: 60,
  parameters: APP,
  body: Type.Object({
    message: Type.String({ maxLength: TRAP_LIMIT_CHARACTERS, description: "The line of the log" }),
    version: Type.Optional(
      Type.String({ description: "Of the app that has trapped; the newest by default" }),
    ),
  }),
  answers: {
    200: TOLD_TRAP,
  },
  faults: [
    ...(["app_not_found", "app_retracted", "not_owner", "version_not_found", "lines_not_found"] as const),
    "file_damaged",
  ],
  async handle({ appLines, catalog }, { caller, parameters: { id }, body }) {
    const owned = await catalog.requireOwner(id, callerOf("publisher", caller).publisherId);
    return trapAnswer(await appLines.tell(owned, body));
  },
});

export const CATALOG_ENDPOINTS: readonly Endpoint[] = Object.freeze([
  LIST,
  READ,
  DOWNLOAD,
  ICON,
  PUBLISH,
  CHANGE_APP,
  RETRACT,
  STORE_LINES,
  TELL_TRAP,
]);
