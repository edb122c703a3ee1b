/** The part of a changelog that is about one version. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { changelogSection } from "../../../cli/apps/changelog-section.js";

const CHANGELOG = `# Changelog

## Unreleased

1.2.0 comes soon

## [1.10.0] - 2026-11-26
### Added
- Ten

# 1.1.0
One
## More
Two
# 1.0.0`;

const SECTIONS: readonly (readonly [version: string, section: string | undefined])[] = [
  ["1.10.0", "### Added\n- Ten"],
  ["1.1.0", "One\n## More\nTwo"],
  ["1.0.0", ""],
  ["1.2.0", undefined],
  ["0.0", undefined],
  ["10.0", undefined],
];
for (const [version, section] of SECTIONS)
  test(`the changelog's part about ${version}`, () => {
    assert.equal(changelogSection(CHANGELOG, version), section);
    assert.equal(changelogSection(CHANGELOG.replaceAll("\n", "\r\n"), version), section);
  });
