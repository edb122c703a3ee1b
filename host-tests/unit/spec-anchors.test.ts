/** Every citation of docs/spec exists, anchors are unique within their page, and links between pages resolve. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";

const root = path.join(import.meta.dirname, "../..");
const spec = path.join(root, "docs/spec");
const SKIPPED = ["build", "node_modules"];
const CITING = /\.(?:ts|js|c|h|md|json|sh|csv)$/;
const CITATION = /docs\/spec\/([a-z0-9-]+\.md|README\.md)(?:#([a-z0-9-]+))?/g;
const LINK = /\]\(([^)\s]+)\)/g;

/** Files that may cite the specification, relative to the root. */
function citingFiles(folder = ""): string[] {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.name.startsWith(".") || SKIPPED.includes(entry.name)) return [];
    if (entry.isDirectory()) return citingFiles(file);
    return CITING.test(entry.name) && entry.name !== "package-lock.json" ? [file] : [];
  });
}

/** As GitHub names the anchor of a heading. */
function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}

/** Every anchor of a page, including repeated ones; code blocks have none. */
function anchorsOf(page: string): string[] {
  const text = readFileSync(page, "utf8").replaceAll(/^```[\s\S]*?^```/gm, "");
  const ids = [...text.matchAll(/<a id="([^"]*)"><\/a>/g)].map(([, id = ""]) => id);
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => slugOf(heading));
  return [...ids, ...headings];
}

const pages = readdirSync(spec).filter((name) => name.endsWith(".md"));
const anchors = new Map(pages.map((name) => [name, anchorsOf(path.join(spec, name))]));
const files = citingFiles();
const citations = files.flatMap((file) =>
  [...readFileSync(path.join(root, file), "utf8").matchAll(CITATION)].map(([cited, page = "", anchor]) => ({
    where: `${file}: ${cited}`,
    exists: anchors.get(page) !== undefined && (!anchor || anchors.get(page)?.includes(anchor) === true),
  })),
);

test("every anchor of the specification that code, tests or documents cite exists", () => {
  expect(citations.length).toBeGreaterThan(100);
  expect(citations.filter(({ exists }) => !exists).map(({ where }) => where)).toEqual([]);
});

test("every page of the specification is in its index", () => {
  const index = readFileSync(path.join(spec, "README.md"), "utf8");
  const missing = pages.filter((name) => name !== "README.md" && !index.includes(`](${name})`));
  expect(missing).toEqual([]);
});

describe.each(pages)("docs/spec/%s", (name) => {
  const text = readFileSync(path.join(spec, name), "utf8");

  test("has each anchor once, in lower case", () => {
    const found = anchors.get(name) ?? [];
    expect(found.filter((anchor, at) => found.indexOf(anchor) !== at)).toEqual([]);
    expect(found.filter((anchor) => !/^[a-z0-9-]+$/.test(anchor))).toEqual([]);
  });

  test("links only to existing targets", () => {
    const links = [...text.matchAll(LINK)].map(([, target = ""]) => target);
    expect(links.filter((target) => !leadsSomewhere(target, spec))).toEqual([]);
  });
});

test("every link from other documents to the specification points to a page and anchor", () => {
  const broken = files
    .filter((file) => file.endsWith(".md"))
    .flatMap((file) => {
      const folder = path.dirname(path.join(root, file));
      return [...readFileSync(path.join(root, file), "utf8").matchAll(LINK)]
        .map(([, target = ""]) => target)
        .filter((target) => /(?:^|\/)spec\//.test(target) && !leadsSomewhere(target, folder))
        .map((target) => `${file}: ${target}`);
    });
  expect(broken).toEqual([]);
});

/** @param folder of the document that links */
function leadsSomewhere(target: string, folder: string): boolean {
  if (/^[a-z]+:/.test(target)) return true;
  const [file = "", anchor] = target.split("#");
  const place = path.join(folder, file);
  if (file !== "" && !existsSync(place)) return false;
  if (anchor === undefined || !place.endsWith(".md")) return true;
  return file === "" || anchorsOf(place).includes(anchor);
}
