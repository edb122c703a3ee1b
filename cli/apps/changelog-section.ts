/** Finds what a changelog in Markdown says of one version. */

const HEADING = /^(#{1,6})[ \t]/;

/** @returns the lines below the heading that names the version, to the next heading of its level; `undefined` without one */
export function changelogSection(changelog: string, version: string): string | undefined {
  const named = new RegExp(`(?<![\\d.])${version.replaceAll(".", "\\.")}(?![\\d]|\\.\\d)`);
  const lines = changelog.split(/\r?\n/);
  const start = lines.findIndex((line) => HEADING.test(line) && named.test(line));
  if (start < 0) return undefined;
  const level = levelOf(lines[start]);
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => HEADING.test(line) && levelOf(line) <= level);
  return (end < 0 ? rest : rest.slice(0, end)).join("\n").trim();
}

function levelOf(line: string | undefined): number {
  return HEADING.exec(line ?? "")?.[1]?.length ?? 0;
}
