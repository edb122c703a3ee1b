/** `svc publish`: a package and its signature go to the hub's catalogue. */
import { readFile } from "node:fs/promises";
import path from "node:path";
import { explainFailure } from "../../simulator/builder/explain-failure.js";
import { hubAccess } from "../hub/login.js";
import { requestHub } from "../hub/request.js";

/** @typedef {import("../../hub/catalog/app-record.ts").CatalogEntry} CatalogEntry */

/** @type {import("../command.js").Command} */
export const publish = Object.freeze({
  name: "publish",
  summary: "Publishes an app, or a newer version of one, at the hub.",
  parameters: [{ name: "FILE.svcpkg", summary: "the package; its signature is in FILE.svcpkg.sig" }],
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
  const bytes = await explainFailure(`read "${file}"`, () => readFile(file));
  const signature = await explainFailure(`read "${file}.sig"`, () => readFile(`${file}.sig`, "utf8"));
  const form = new FormData();
  form.set("signature", signature.trim());
  form.set("package", new Blob([bytes]), path.basename(file));
  return form;
}
