/** `svc publish`: publishes an app on a hub, with what its page shows. */
import path from "node:path";
import { CATEGORY_NAMES } from "../../hub/catalog/categories.js";
import { Fault } from "../../protocol/fault.js";
import { FILE_KIND_BYTES, fileKindOf } from "../../protocol/file-kind.js";
import { PUBLISHED_ENTRY, type PublishedEntry } from "../../protocol/hub/answers/catalog.js";
import { listOf, object, type Schema, type Shaped, text } from "../../protocol/schema.js";
import { LINES_LIMIT_BYTES, linesFileOf } from "../../tools/trap-lines.js";
import { readAppPage } from "../apps/app-page-files.js";
import { isSimulatorThere, simulatedScreenshot } from "../apps/simulated-screenshot.js";
import type { Call, Command } from "../command.js";
import { isFirmware } from "../console/app-file.js";
import {
  APP_FILE_LIMIT_BYTES,
  readContent,
  readIfThere,
  readInput,
  TEXT_FILE_LIMIT_BYTES,
} from "../files.js";
import { hubAccess } from "../hub/login.js";
import { requestHub } from "../hub/request.js";

export const publish: Command = Object.freeze<Command>({
  name: "publish",
  summary: "Publish an app, or a new version of it, on the hub.",
  parameters: [
    {
      name: "FILE.svcpkg",
      summary:
        "package to publish, with its signature in FILE.svcpkg.sig and, if there are any, the lines of its sources in FILE.svcpkg.lines",
      isFile: true,
    },
  ],
  options: [
    {
      name: "name",
      value: "NAME",
      summary: "name to show in the catalogue, kept over new versions; default: the manifest's",
    },
    { name: "about", value: "FILE", summary: "text of the app's page, in Markdown", isFile: true },
    {
      name: "changelog",
      value: "FILE",
      summary: "what is new in this version, in Markdown: the part below its heading, or all of the file",
      isFile: true,
    },
    { name: "category", value: "NAME", summary: "category of the app", choices: CATEGORY_NAMES },
    { name: "homepage", value: "URL", summary: "https address of the app's homepage" },
    { name: "source", value: "URL", summary: "https address of its source code" },
    {
      name: "screenshot",
      value: "PNG",
      summary: "picture of the app, in place of the earlier ones; may be given up to six times",
      isFile: true,
      isRepeatable: true,
    },
    { name: "without-screenshot", summary: "do not have the simulated console make a screenshot" },
  ],
  notes: [
    "If the package is in `build` of the app's directory, svc takes what is not given from `about.md`, `CHANGELOG.md`, `screenshots/*.png` and `store.json` there. `store.json` may have `category`, `homepage` and `source`.",
    "If the app has no screenshot yet and none is given, the simulated console runs it for some seconds and makes one, where it has been built (`npm run simulator`). It runs the module, and no machine code: an app of machine code alone gets no screenshot.",
  ],
  run: perform,
});

/** What counts of the answers about an app's page and about the lines of its sources. */
const PAGE = object({ screenshots: listOf(object({ url: text() })) });
const LINES = object({ version: text() });

type Access = Awaited<ReturnType<typeof hubAccess>>;
async function perform(call: Call) {
  const { values, lists, warn } = call;
  const { "FILE.svcpkg": file = "", name, about, changelog, category, homepage, source } = values;
  const bytes = new Uint8Array(await readContent(file, APP_FILE_LIMIT_BYTES));
  const lines = await readIfThere(linesFileOf(file), LINES_LIMIT_BYTES);
  requirePackage(file, bytes);
  const form = await formOf(file, bytes);
  if (name !== undefined) form.set("name", name);
  const options = { about, changelog, category, homepage, source, screenshots: lists["screenshot"] ?? [] };
  for (const given of [about, changelog, ...options.screenshots])
    if (given !== undefined) await readContent(given, APP_FILE_LIMIT_BYTES); // rather now than after publishing
  const access = await hubAccess(["publisher"]);
  const entry = await requestHub(PUBLISHED_ENTRY, {
    ...access,
    method: "POST",
    path: "/catalog/publish",
    form,
  });
  if (lines)
    await sendFile(LINES, access, entry, "lines", [lines]).catch(({ message }: Error) =>
      warn(`the app is published without the lines of its sources: ${message}`),
    );
  try {
    const page = await readAppPage(file, entry, options);
    const stored = await sendPage(access, entry, page);
    if (stored.screenshots.length === 0) await sendSimulated(call, access, entry, bytes);
  } catch (error) {
    warn(`the app is published, but not all of its page: ${(error as Error).message}`);
  }
  const waits = entry.listed === false ? "; it is listed once the hub's operator has accepted it" : "";
  return {
    text: `published ${entry.id} ${entry.version}, ${entry.size_bytes} bytes${waits}`,
    json: entry,
  };
}

/** @returns the page as it is then */
async function sendPage(
  access: Access,
  { id, version }: PublishedEntry,
  { change, screenshots }: Awaited<ReturnType<typeof readAppPage>>,
): Promise<Shaped<typeof PAGE>> {
  const json = change.changelog === undefined ? change : { ...change, version };
  const path = `/catalog/${encodeURIComponent(id)}/page`;
  const page = await requestHub(PAGE, { ...access, method: "PUT", path, json });
  if (screenshots.length === 0) return page;
  return sendFile(PAGE, access, { id }, "screenshots", screenshots);
}

/** Does nothing where there is no simulator, or for an app that has ended before anyone could see it. */
async function sendSimulated(
  { flags, output, signal, warn }: Call,
  access: Access,
  { id }: PublishedEntry,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<void> {
  if (flags.has("withoutScreenshot") || !isSimulatorThere()) return;
  output.note("making a screenshot on the simulated console");
  try {
    const picture = await simulatedScreenshot(bytes, id, signal);
    if (picture) await sendFile(PAGE, access, { id }, "screenshots", [picture]);
  } catch (error) {
    if (!signal.aborted) warn(`the app is published without a screenshot: ${(error as Error).message}`);
  }
}

/** Sends files of the app, in the form of an endpoint below the app that has its name: `screenshot` for `screenshots`. */
function sendFile<Body>(
  answer: Schema<Body>,
  access: Access,
  { id }: Pick<PublishedEntry, "id">,
  what: "lines" | "screenshots",
  files: readonly Uint8Array[],
): Promise<Body> {
  const form = new FormData();
  const field = what === "lines" ? what : "screenshot";
  for (const file of files) form.append(field, new Blob([new Uint8Array(file)]), field);
  return requestHub(answer, {
    ...access,
    method: "PUT",
    path: `/catalog/${encodeURIComponent(id)}/${what}`,
    form,
  });
}

/**
 * Before its signature is looked for: firmware has none beside it.
 * @throws {Fault} `media_type_unsupported`
 */
function requirePackage(file: string, bytes: Uint8Array): void {
  if (isFirmware(bytes))
    throw unpublishable(
      `"${file}" is firmware`,
      "Send it to a console with `svc ota upload`, or publish it with POST /firmware of the hub's API.",
    );
  if (fileKindOf(bytes.subarray(0, FILE_KIND_BYTES)) !== "package")
    throw unpublishable(
      `"${file}" is no package`,
      "Pack the app with `svc app pack DIR --key PEM`, and publish the .svcpkg.",
    );
}

function unpublishable(reason: string, advice: string): Fault {
  return Object.assign(new Fault("media_type_unsupported", `Cannot publish as an app: ${reason}`), {
    advice,
  });
}

async function formOf(file: string, bytes: Uint8Array<ArrayBuffer>) {
  const signature = String(await readInput(`${file}.sig`, TEXT_FILE_LIMIT_BYTES));
  const form = new FormData();
  form.set("signature", signature.trim());
  form.set("package", new Blob([bytes]), path.basename(file));
  return form;
}
