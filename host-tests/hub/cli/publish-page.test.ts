/** `svc publish` with what an app's page shows: from its options, and from the app's directory. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { runSvcIn, SVC_TIMEOUT_MS } from "../../unit/cli/run-svc.js";
import { appPackage, freshName, HubPublisher } from "../catalog/hub-publisher.js";
import { EMBEDDED_HUB, type HubUnderTest } from "../hosts/hub-under-test.js";
import { smallPng } from "../store/screenshots.js";

const temporary = mkdtempSync(path.join(tmpdir(), "svc-page-"));
let hub: HubUnderTest;
let publisher: HubPublisher;
let directory: string;
let id: string;

beforeAll(async () => {
  hub = await EMBEDDED_HUB.start({ environment: { SVC_HUB_REVIEW: "off" } });
  publisher = await HubPublisher.register(hub);
});
afterAll(async () => {
  await hub.stop();
  rmSync(temporary, { recursive: true });
});
beforeEach(() => {
  id = freshName();
  directory = path.join(temporary, id);
  mkdirSync(path.join(directory, "build"), { recursive: true });
  write("manifest.json", JSON.stringify({ name: id }));
});

const write = (name: string, content: string | Uint8Array) => {
  const file = path.join(directory, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
};
const publish = async (version: string, ...options: readonly string[]) => {
  const bytes = await appPackage({ name: id, version });
  const file = write(`build/${id}-${version}.svcpkg`, bytes);
  writeFileSync(`${file}.sig`, publisher.key.sign(bytes));
  const environment = { SVC_HUB_URL: hub.origin, SVC_HUB_TOKEN: publisher.token };
  return runSvcIn(environment, ["publish", file, "--without-screenshot", ...options]);
};
const page = async () => (await publisher.get(`/catalog/${id}/page`)).body;

test("an app's directory gives text, links, category, screenshots, and what is new in the version", {
  timeout: 2 * SVC_TIMEOUT_MS,
}, async () => {
  write("about.md", "# About");
  write(
    "CHANGELOG.md",
    "# Changes\n\n## 1.1.0 (today)\n\n- Faster\n\n### Fixed\n\n- All\n\n## 1.0.0\n\nFirst",
  );
  write(
    "store.json",
    '{"category":"games","homepage":"https://example.org","source":"https://example.org/s"}',
  );
  write("screenshots/2.png", smallPng(20, 10));
  write("screenshots/1.png", smallPng(10, 10));
  write("screenshots/notes.txt", "no picture");
  expect(await publish("1.1.0")).toMatchObject({ status: 0, stderr: "" });
  expect(await page()).toMatchObject({
    about: "# About",
    category: "games",
    homepage_url: "https://example.org",
    source_url: "https://example.org/s",
    screenshots: [{ width: 10 }, { width: 20 }],
    changelogs: [{ version: "1.1.0", changelog: "- Faster\n\n### Fixed\n\n- All" }],
  });
});

test("options come first, and a version without a part in the changelog has none", {
  timeout: 2 * SVC_TIMEOUT_MS,
}, async () => {
  write("about.md", "from the directory");
  write("CHANGELOG.md", "## 1.0.0\n\nFirst");
  write("screenshots/1.png", smallPng(10, 10));
  const about = write("other/about.md", "as given");
  const pictures = [smallPng(11, 11), smallPng(12, 12)].map((png, index) => write(`other/${index}.png`, png));
  const given = ["--about", about, "--category", "tools", "--homepage", "https://example.org"];
  const screenshots = pictures.flatMap((file) => ["--screenshot", file]);
  expect(await publish("2.0.0", ...given, ...screenshots)).toMatchObject({ status: 0, stderr: "" });
  expect(await page()).toMatchObject({
    about: "as given",
    category: "tools",
    homepage_url: "https://example.org",
    changelogs: [],
    screenshots: [{ width: 11 }, { width: 12 }],
  });
  const changelog = write("other/news.md", "All is new");
  expect(await publish("2.1.0", "--changelog", changelog)).toMatchObject({ status: 0, stderr: "" });
  expect(await page()).toMatchObject({
    about: "from the directory",
    category: "tools",
    screenshots: [{ width: 10 }],
    changelogs: [{ version: "2.1.0", changelog: "All is new" }],
  });
});

test("what the hub refuses of the page is told, and the app is published", {
  timeout: 3 * SVC_TIMEOUT_MS,
}, async () => {
  for (const [version, options, reason] of [
    ["1.0.0", ["--homepage", "http://example.org"], '"homepage_url" is not an https address'],
    ["1.1.0", ["--screenshot", write("bad.png", "GIF89a")], "it is not a PNG"],
  ] as const) {
    const { status, stdout, stderr } = await publish(version, ...options);
    expect([status, stdout]).toEqual([0, expect.stringContaining(`published ${id} ${version}`)]);
    expect(stderr).toContain("the app is published, but not all of its page: ");
    expect(stderr).toContain(reason);
  }
});

test("a file that is missing, or a category that there is not, is told before anything is published", {
  timeout: 3 * SVC_TIMEOUT_MS,
}, async () => {
  expect(await publish("1.0.0", "--about", "missing.md")).toMatchObject({ status: 1, stdout: "" });
  expect(await publish("1.0.0", "--category", "toys")).toMatchObject({ status: 2, stdout: "" });
  expect((await publisher.get(`/catalog/${id}`)).status).toBe(404);
});
