/** The list of components that ESP-IDF loads, which the SDK would write piece by piece. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { BOARDS, type Board } from "../../../../boards/moddable/boards.js";
import { writeComponentList } from "../../../../boards/moddable/component-list.js";
import { temporaryDirectory } from "../../../hosts/simulator-program.js";
import { BUILDS, dependenciesOf, titleOf } from "../../esp32/board-manifest.js";

const temporary = temporaryDirectory();
afterAll(() => temporary.remove());

/** Where the SDK looks for it, for a project in a folder of that name. */
function fileOf(board: Board, name: string): string {
  const { platform, chip } = BOARDS[board];
  return path.join(
    temporary.path,
    `${name}/tmp/${platform}/release/${name}/xsProj-${chip}/main/idf_component.yml`,
  );
}

for (const build of BUILDS) {
  const { board, ethernet } = build;
  const components = dependenciesOf(build).filter((name) => name.includes("^"));

  test(`the components of ${titleOf(build)} are listed: ${components.join(", ") || "none"}`, async () => {
    const name = titleOf(build).replaceAll(" ", "-");
    await writeComponentList(board, path.join(temporary.path, name), ethernet);
    const file = fileOf(board, name);
    if (components.length === 0) return expect(existsSync(file)).toBe(false);
    const lines = components.map((component) => {
      const [own, version] = component.split("^");
      return `  espressif/${own}: "^${version}"`;
    });
    expect(readFileSync(file, "utf8")).toBe(`dependencies:\n${lines.join("\n")}\n`);
  });
}

test("a driver of Ethernet is a dependency of the builds that have it alone", () => {
  for (const build of BUILDS) {
    const isWired = dependenciesOf(build).includes("esp_eth");
    expect([titleOf(build), isWired]).toEqual([titleOf(build), build.ethernet !== undefined]);
  }
});
