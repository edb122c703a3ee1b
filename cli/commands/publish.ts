/** `svc publish`: publishes an app on a hub, with what its page shows. */
import path from "node:path";
import type { AppPage } from "../../hub/catalog/app-pages.js";
import type { CatalogEntry } from "../../hub/catalog/app-record.js";
import { CATEGORY_NAMES } from "../../hub/catalog/categories.js";
import { LINES_LIMIT_BYTES, linesFileOf } from "../../tools/trap-lines.js";
import { readAppPage } from "../apps/app-page-files.js";
import { isSimulatorThere, simulatedScreenshot } from "../apps/simulated-screenshot.js";
import type { Call, Command } from "../command.js";
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

type Access = Awaited<ReturnType<typeof hubAccess>>;
type Published = CatalogEntry & { readonly listed?: boolean };

async function perform(call: Call) {
  const { values, lists, warn } = call;
  const { "FILE.svcpkg": file = "", name, about, changelog, category, homepage, source } = values;
  const bytes = new Uint8Array(await readContent(file, APP_FILE_LIMIT_BYTES));
  const lines = await readIfThere(linesFileOf(file), LINES_LIMIT_BYTES);
  const form = await formOf(file, bytes);
  if (name !== undefined) form.set("name", name);
  const options = { about, changelog, category, homepage, source, screenshots: lists["screenshot"] ?? [] };
  for (const given of [about, changelog, ...options.screenshots])
    if (given !== undefined) await readContent(given, APP_FILE_LIMIT_BYTES); // rather now than after publishing
  const access = await hubAccess(["publisher"]);
  const entry: Published = await requestHub({ ...access, method: "POST", path: "/catalog/publish", form });
  if (lines)
    await sendFile(access, entry, "lines", [lines]).catch(({ message }: Error) =>
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
  { id, version }: Published,
  { change, screenshots }: Awaited<ReturnType<typeof readAppPage>>,
): Promise<AppPage> {
  const json = change.changelog === undefined ? change : { ...change, version };
  const path = `/catalog/${encodeURIComponent(id)}/page`;
  const page: AppPage = await requestHub({ ...access, method: "PUT", path, json });
  if (screenshots.length === 0) return page;
  return sendFile(access, { id }, "screenshots", screenshots);
}

/** Does nothing where there is no simulator, or for an app that has ended before anyone could see it. */
async function sendSimulated(
  { flags, output, signal, warn }: Call,
  access: Access,
  { id }: Published,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<void> {
  if (flags.has("withoutScreenshot") || !isSimulatorThere()) return;
  output.note("making a screenshot on the simulated console");
  try {
    const picture = await simulatedScreenshot(bytes, id, signal);
    if (picture) await sendFile(access, { id }, "screenshots", [picture]);
  } catch (error) {
    if (!signal.aborted) warn(`the app is published without a screenshot: ${(error as Error).message}`);
  }
}

/** Sends files of the app, in the form of an endpoint below the app that has its name: `screenshot` for `screenshots`. */
function sendFile<Body>(
  access: Access,
  { id }: Pick<Published, "id">,
  what: "lines" | "screenshots",
  files: readonly Uint8Array[],
): Promise<Body> {
  const form = new FormData();
  const field = what === "lines" ? what : "screenshot";
  for (const file of files) form.append(field, new Blob([new Uint8Array(file)]), field);
  return requestHub({ ...access, method: "PUT", path: `/catalog/${encodeURIComponent(id)}/${what}`, form });
}

async function formOf(file: string, bytes: Uint8Array<ArrayBuffer>) {
  const signature = String(await readInput(`${file}.sig`, TEXT_FILE_LIMIT_BYTES));
  const form = new FormData();
  form.set("signature", signature.trim());
  form.set("package", new Blob([bytes]), path.basename(file));
  return form;
}
