/** What newcomers read first leads somewhere: each relative link to a file, each anchor to a heading, each method named. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";

const root = path.join(import.meta.dirname, "../..");
const PAGES = ["README.md", "CONTRIBUTING.md", "docs/architecture.md", "docs/glossary.md"];

interface Link {
  readonly target: string;
  /** Absolute; that of the page itself for a link within it. */
  readonly file: string;
  readonly anchor: string | undefined;
}

function linksOf(page: string): readonly Link[] {
  const file = path.join(root, page);
  const targets = [...readFileSync(file, "utf8").matchAll(/\]\(([^)\s]+)\)/g)].map(
    ([, target = ""]) => target,
  );
  return targets
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [place = "", anchor] = target.split("#");
      return { target, file: place === "" ? file : path.join(path.dirname(file), place), anchor };
    });
}

/** As GitHub names the anchors of headings. */
function hasAnchor(file: string, anchor: string): boolean {
  const text = readFileSync(file, "utf8");
  const slugs = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
  return slugs.includes(anchor) || text.includes(`<a id="${anchor}">`);
}

test("README.md has the two commands that a fresh clone must run with, each on one line to copy", () => {
  const readme = readFileSync(path.join(root, "README.md"), "utf8");
  for (const command of ["npm ci && npm start", "npm ci && npm test"])
    expect(readme).toContain(`\n${command}\n`);
});

describe.each(PAGES)("%s", (page) => {
  test("has links that lead to files and headings", () => {
    const links = linksOf(page);
    expect(links.length).toBeGreaterThan(5);
    const broken = links.filter(
      ({ file, anchor }) => !existsSync(file) || (anchor !== undefined && !hasAnchor(file, anchor)),
    );
    expect(broken.map(({ target }) => target)).toEqual([]);
  });
});

test("every method that docs/architecture.md names is in a file that it links to", () => {
  const page = "docs/architecture.md";
  const sources = linksOf(page)
    .filter(({ file }) => /\.(?:ts|c)$/.test(file) && statSync(file).isFile())
    .map(({ file }) => readFileSync(file, "utf8"));
  const named = [...readFileSync(path.join(root, page), "utf8").matchAll(/`([A-Z]\w+)\.(#?[a-z]\w+)`/g)];
  expect(named.length).toBeGreaterThan(40);
  const unknown = named.filter(
    ([, owner = "", method = ""]) =>
      !sources.some(
        (source) =>
          new RegExp(`(?:class|interface) ${owner}\\b`).test(source) &&
          new RegExp(`^ {2}(?:async |readonly |get )?${method}\\b`, "m").test(source),
      ),
  );
  expect(unknown.map(([name]) => name)).toEqual([]);
});

test("every path in the commands of CONTRIBUTING.md exists, or begins the name of a file", () => {
  const page = readFileSync(path.join(root, "CONTRIBUTING.md"), "utf8");
  const blocks = [...page.matchAll(/```\n([\s\S]*?)```/g)].map(([, block = ""]) => block).join("\n");
  const paths = [...blocks.matchAll(/\b(?:host-tests|simulator)\/[\w./-]+/g)].map(([name]) => name);
  expect(paths.length).toBeGreaterThan(10);
  const begins = (name: string) => {
    const folder = path.join(root, path.dirname(name));
    return existsSync(folder) && readdirSync(folder).some((file) => file.startsWith(path.basename(name)));
  };
  expect(paths.filter((name) => !begins(name))).toEqual([]);
});

test("sdk/README.md has a row for each example, with a page of its own, and no other page counts them", () => {
  const examples = readdirSync(path.join(root, "sdk/examples"), { withFileTypes: true });
  const names = examples.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const rows = readFileSync(path.join(root, "sdk/README.md"), "utf8").matchAll(
    /^\| \[`(\w+)`\]\(\.\.\/docs\/(\w+)\.md\) \|/gm,
  );
  const listed = [...rows].map(([, name, page]) => [name, page]);
  expect(listed.sort()).toEqual(names.sort().map((name) => [name, name]));
  for (const page of [...PAGES, "docs/tutorial.md"])
    expect(readFileSync(path.join(root, page), "utf8"), page).not.toMatch(
      /\b(two|three|four|five|six|seven|eight|nine|ten) examples\b/i,
    );
});
