/** A new app: the template of its language, with the name of its directory. */
import { cp, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { isAppName } from "../protocol/manifest/manifest.js";
import { explainFailure } from "../tools/explain-failure.js";
import { makeDirectory } from "../tools/make-directory.js";
import { writeEditorFiles } from "./builder/editor-files.js";
import { SdkError } from "./sdk-error.js";

const TEMPLATES = path.join(import.meta.dirname, "templates");
/** Stands in the templates for the app's name. */
const NAME_MARK = "{{name}}";
const WITHOUT_NAME = ".bmp";

type Language = "assemblyscript" | "c";
export const LANGUAGES: readonly Language[] = Object.freeze(["assemblyscript", "c"]);

/**
 * @param directory made where it is missing; its last part is the app's name
 * @returns of what belongs to the app's sources
 * @throws {SdkError} `name_invalid`, `directory_not_empty`
 */
export async function newApp(
  directory: string,
  language: Language,
): Promise<{ name: string; files: readonly string[] }> {
  const name = path.basename(path.resolve(directory));
  if (!isAppName(name))
    throw new SdkError("name_invalid", `Cannot create an app named "${name}" in "${directory}"`, {
      advice:
        "An app is named after its directory: 1 to 32 letters, digits, `_`, `-` and `.`, not beginning with a dot.",
    });
  await requireEmpty(directory);
  const template = path.join(TEMPLATES, language);
  const files = (await readdir(template)).sort();
  await explainFailure(`write to "${directory}"`, async () => {
    await makeDirectory(directory);
    for (const file of files) await copy(path.join(template, file), path.join(directory, file), name);
    await writeEditorFiles(directory, language);
  });
  return { name, files };
}

async function requireEmpty(directory: string): Promise<void> {
  const entries = await explainFailure(`read "${directory}"`, () =>
    readdir(directory).catch((error) => {
      if (error.code === "ENOENT") return [];
      throw error;
    }),
  );
  if (entries.length === 0) return;
  throw new SdkError("directory_not_empty", `Cannot create an app in "${directory}": it is not empty`, {
    advice: "Choose a directory that does not exist yet.",
  });
}

async function copy(from: string, to: string, name: string): Promise<void> {
  if (from.endsWith(WITHOUT_NAME)) await cp(from, to);
  else await writeFile(to, (await readFile(from, "utf8")).replaceAll(NAME_MARK, name));
}
