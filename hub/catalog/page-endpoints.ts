/** Endpoints for what a publisher tells of an app beside its package. */
import Type from "typebox";
import { type Endpoint, endpoint } from "../api/endpoint.js";
import { publicAddress } from "../api/public-address.js";
import { callerOf } from "../auth/authentication.js";
import type { Row } from "../database/schema.js";
import { type FileStore, storedPart } from "../files/file-store.js";
import { type SentFile, sendFile } from "../files/send-file.js";
import type { UploadForm } from "../files/uploads.js";
import { APP_PAGE, PAGE_CHANGE, SCREENSHOTS_LIMIT } from "./app-pages.js";
import { SCREENSHOT_LIMIT_BYTES } from "./screenshot-png.js";

const TAG = "Catalogue";
const APP = Type.Object({ id: Type.String({ description: "The app's name" }) });

const READ_PAGE = endpoint({
  method: "GET",
  path: "/catalog/:id/page",
  tag: TAG,
  summary: "Show what the publisher tells of an app: text, category, links, screenshots, changelogs.",
  access: "bearer",
  isCatalogue: true,
  parameters: APP,
  answers: { 200: APP_PAGE },
  faults: ["app_not_found", "app_retracted"],
  handle: async ({ appPages, catalog, config }, { parameters, request }) =>
    appPages.read(await catalog.requireApp(parameters.id), publicAddress(config, request)),
});

const CHANGE_PAGE = endpoint({
  method: "PUT",
  path: "/catalog/:id/page",
  tag: TAG,
  summary: "Change an app's text, category and links, and the changelog of a version.",
  access: "publisher",
  callsPerMinute: 120, // each writes up to 600 words
  parameters: APP,
  body: PAGE_CHANGE,
  bodyLimitBytes: 256 * 1024, // JSON writes a control character of a text in six bytes
  answers: { 200: APP_PAGE },
  faults: ["app_not_found", "app_retracted", "not_owner", "version_not_found"],
  async handle({ appPages, catalog, config }, { caller, parameters: { id }, body, request }) {
    const owned = await catalog.requireOwner(id, callerOf("publisher", caller).publisherId);
    return appPages.read(await appPages.change(owned, body), publicAddress(config, request));
  },
});

const SCREENSHOTS_FORM: UploadForm = Object.freeze({
  file: "screenshot",
  count: SCREENSHOTS_LIMIT,
  texts: [],
  limitBytes: SCREENSHOT_LIMIT_BYTES,
  tooLarge: "file_too_large" as const,
});

const STORE_SCREENSHOTS = endpoint({
  method: "PUT",
  path: "/catalog/:id/screenshots",
  tag: TAG,
  summary: "Store an app's screenshots, in place of the earlier ones.",
  access: "publisher",
  callsPerMinute: 60, // each unpacks up to 40 MB
  parameters: APP,
  multipart: Type.Object({
    screenshot: Type.Array(
      Type.Unsafe<Uint8Array>({
        type: "string",
        format: "binary",
        description: "A PNG of at most 512 KiB",
      }),
      { minItems: 1, maxItems: SCREENSHOTS_LIMIT, description: "In their order" },
    ),
  }),
  answers: { 200: APP_PAGE },
  faults: [
    ...(["app_not_found", "app_retracted", "not_owner", "picture_invalid", "file_too_large"] as const),
    ...(["media_type_unsupported", "storage_full"] as const),
  ],
  async handle({ appPages, catalog, config, uploads }, { caller, parameters: { id }, request }) {
    const { publisherId } = callerOf("publisher", caller);
    const owned = await catalog.requireOwner(id, publisherId);
    return uploads.receive(request, publisherId, SCREENSHOTS_FORM, async ({ files }) => {
      await appPages.storeScreenshots(owned, files);
      return appPages.read(owned, publicAddress(config, request));
    });
  },
});

const REMOVE_SCREENSHOTS = endpoint({
  method: "DELETE",
  path: "/catalog/:id/screenshots",
  tag: TAG,
  summary: "Remove an app's screenshots.",
  access: "publisher",
  parameters: APP,
  answers: { 204: null },
  faults: ["app_not_found", "app_retracted", "not_owner"],
  async handle({ appPages, catalog }, { caller, parameters: { id }, reply }) {
    const owned = await catalog.requireOwner(id, callerOf("publisher", caller).publisherId);
    await appPages.storeScreenshots(owned, []);
    return reply.code(204).send();
  },
});

const READ_SCREENSHOT = endpoint({
  method: "GET",
  path: "/catalog/:id/screenshots/:number",
  tag: TAG,
  summary: "Download a screenshot of an app.",
  access: "bearer",
  isCatalogue: true,
  parameters: Type.Object({
    ...APP.properties,
    number: Type.Integer({ minimum: 1, maximum: SCREENSHOTS_LIMIT, description: "From 1" }),
  }),
  answers: { 200: "image/png", 206: "image/png", 304: null },
  faults: [
    ...(["app_not_found", "app_retracted", "picture_not_found", "range_not_satisfiable"] as const),
    "file_damaged",
  ],
  async handle({ appPages, catalog, files }, { parameters: { id, number }, request, reply }) {
    const app = await catalog.requireApp(id);
    return sendFile(request, reply, await sent(files, await appPages.requireScreenshot(app.id, number)));
  },
});

async function sent(files: FileStore, { sha256, size_bytes }: Row<"app_screenshots">): Promise<SentFile> {
  return {
    parts: [await storedPart(files, sha256, size_bytes)],
    sha256,
    mediaType: "image/png",
    fields: { "cache-control": "private, no-cache" }, // another may follow at the same address; the ETag detects it
  };
}

export const PAGE_ENDPOINTS: readonly Endpoint[] = Object.freeze([
  READ_PAGE,
  CHANGE_PAGE,
  STORE_SCREENSHOTS,
  REMOVE_SCREENSHOTS,
  READ_SCREENSHOT,
]);
