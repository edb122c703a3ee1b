/** `svc publish`: uploads a package and its signature to the hub's catalogue. */
import path from "node:path";
import type { CatalogEntry } from "../../hub/catalog/app-record.js";
import type { Command } from "../command.js";
import { APP_FILE_LIMIT_BYTES, readContent, readInput, TEXT_FILE_LIMIT_BYTES } from "../files.js";
import { hubAccess } from "../hub/login.js";
import { requestHub } from "../hub/request.js";

export const publish: Command = Object.freeze<Command>({
  name: "publish",
  summary: "Publish an app, or a new version of it, on the hub.",
  parameters: [
    {
      name: "FILE.svcpkg",
      summary: "package to publish, with its signature in FILE.svcpkg.sig",
      isFile: true,
    },
  ],
  options: [],
  async run({ values: { "FILE.svcpkg": file = "" } }) {
    const form = await formOf(file);
    const access = await hubAccess(["publisher"]);
    const entry: CatalogEntry = await requestHub({
      ...access,
      method: "POST",
      path: "/catalog/publish",
      form,
    });
    return { text: `published ${entry.id} ${entry.version}, ${entry.size_bytes} bytes`, json: entry };
  },
});

async function formOf(file: string) {
  const bytes = await readContent(file, APP_FILE_LIMIT_BYTES);
  const signature = String(await readInput(`${file}.sig`, TEXT_FILE_LIMIT_BYTES));
  const form = new FormData();
  form.set("signature", signature.trim());
  form.set("package", new Blob([bytes]), path.basename(file));
  return form;
}
