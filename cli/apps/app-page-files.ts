/**
 * What `svc publish` sends for an app's page: from its options, else from files in the app's directory (`about.md`,
 * `CHANGELOG.md`, `store.json`, `screenshots/*.png`), if the package is in `build` of that directory.
 */
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import type { PageChange } from "../../hub/catalog/app-pages.js";
import { readContent, readIfThere, TEXT_FILE_LIMIT_BYTES } from "../files.js";
import { SvcError } from "../svc-error.js";
import { changelogSection } from "./changelog-section.js";

/** The hub accepts no more, and no larger ones; it says so. */
const PICTURE_LIMIT_BYTES = 16 * 1024 * 1024;

export interface AppPageFiles {
  /** Without the version. */
  readonly change: Pick<PageChange, "about" | "category" | "homepage_url" | "source_url" | "changelog">;
  /** PNGs; empty if there are none. */
  readonly screenshots: readonly Uint8Array[];
}

export interface AppPageOptions {
  readonly about: string | undefined;
  readonly changelog: string | undefined;
  readonly category: string | undefined;
  readonly homepage: string | undefined;
  readonly source: string | undefined;
  readonly screenshots: readonly string[];
}

/**
 * @param file path of the package
 * @param app its name, which the directory's manifest must have
 * @throws {SvcError} for a file that an option names and that cannot be read, and for a `store.json` that is not one
 */
export async function readAppPage(
  file: string,
  { id: app, version }: { readonly id: string; readonly version: string },
  options: AppPageOptions,
): Promise<AppPageFiles> {
  const directory = await directoryOf(file, app);
  const kept = directory === undefined ? {} : await readStoreFile(path.join(directory, "store.json"));
  const about = await textOf(options.about, directory, "about.md");
  const changelog = await textOf(options.changelog, directory, "CHANGELOG.md");
  const section = changelog === undefined ? undefined : changelogSection(changelog, version);
  const whole = options.changelog === undefined ? undefined : changelog;
  const { category = kept.category, homepage = kept.homepage, source = kept.source } = options;
  const change = {
    about,
    changelog: section ?? whole,
    category,
    homepage_url: homepage,
    source_url: source,
  };
  return {
    change: Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)),
    screenshots: await Promise.all(
      picturesOf(options.screenshots, directory).map((picture) => readContent(picture, PICTURE_LIMIT_BYTES)),
    ),
  };
}

/** The app's directory, if the package was built there. */
async function directoryOf(file: string, app: string): Promise<string | undefined> {
  const directory = path.dirname(path.dirname(path.resolve(file)));
  if (path.basename(path.dirname(path.resolve(file))) !== "build") return undefined;
  const manifest = await readIfThere(path.join(directory, "manifest.json"), TEXT_FILE_LIMIT_BYTES);
  if (!manifest) return undefined;
  try {
    return Object(JSON.parse(String(manifest))).name === app ? directory : undefined;
  } catch {
    return undefined; // a manifest that is being edited is no reason not to publish
  }
}

async function textOf(
  given: string | undefined,
  directory: string | undefined,
  name: string,
): Promise<string | undefined> {
  if (given !== undefined) return String(await readContent(given, TEXT_FILE_LIMIT_BYTES));
  if (directory === undefined) return undefined;
  const text = await readIfThere(path.join(directory, name), TEXT_FILE_LIMIT_BYTES);
  return text && String(text);
}

interface StoreFile {
  readonly category?: string;
  readonly homepage?: string;
  readonly source?: string;
}

async function readStoreFile(file: string): Promise<StoreFile> {
  const text = await readIfThere(file, TEXT_FILE_LIMIT_BYTES);
  if (!text) return {};
  const members = parsed(String(text));
  const isStoreFile =
    typeof members === "object" && members !== null && Object.entries(members).every(isStoreMember);
  if (isStoreFile) return members;
  throw new SvcError("file_unreadable", `Cannot use "${file}": it is not an object with texts`, {
    advice: 'It may have "category", "homepage" and "source".',
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // the caller reports it
  }
}

function isStoreMember([name, value]: readonly [string, unknown]): boolean {
  return ["category", "homepage", "source"].includes(name) && typeof value === "string";
}

function picturesOf(given: readonly string[], directory: string | undefined): readonly string[] {
  if (given.length > 0 || directory === undefined) return given;
  const folder = path.join(directory, "screenshots");
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => /^[^.].*\.png$/i.test(name));
  return names.sort().map((name) => path.join(folder, name));
}
