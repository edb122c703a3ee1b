/** `svc publish`: uploads a package and its signature to the hub's catalogue. */
import path from "node:path";
import { APP_FILE_LIMIT_BYTES, readContent, readInput, TEXT_FILE_LIMIT_BYTES } from "../files.js";
import { hubAccess } from "../hub/login.js";
import { requestHub } from "../hub/request.js";

/** @typedef {import("../../hub/catalog/app-record.ts").CatalogEntry} CatalogEntry */

/** @type {import("../command.js").Command} */
export const publish = Object.freeze({
  name: "publish",
  summary: "Publishes an app, or a newer version of one, at the hub.",
  parameters: [
    { name: "FILE.svcpkg", summary: "the package; its signature is in FILE.svcpkg.sig", isFile: true },
  ],
  options: [],
  async run({ values: { "FILE.svcpkg": file = "" } }) {
    const form = await formOf(file);
    const access = await hubAccess(["publisher"]);
    /** @type {CatalogEntry} */
    const entry = await requestHub({ ...access, method: "POST", path: "/catalog/publish", form });
    return { text: `published ${entry.id} ${entry.version}, ${entry.size_bytes} bytes`, json: entry };
  },
});

/** @param {string} file */
async function formOf(file) {
  const bytes = await readContent(file, APP_FILE_LIMIT_BYTES);
  const signature = String(await readInput(`${file}.sig`, TEXT_FILE_LIMIT_BYTES));
  const form = new FormData();
  form.set("signature", signature.trim());
  form.set("package", new Blob([bytes]), path.basename(file));
  return form;
}
