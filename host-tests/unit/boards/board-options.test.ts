/** Build options that a command line gives to the firmware of a board. */
import { describe, expect, test } from "vitest";
import { readBoardOptions } from "../../../boards/board-options.js";

describe("Build options for a board", () => {
  const TAKEN = [
    { name: "none", assignments: [], options: {} },
    {
      name: "a flag",
      assignments: ["CONFIG_SVC_ALLOW_UNSIGNED_APPS=on"],
      options: { CONFIG_SVC_ALLOW_UNSIGNED_APPS: true },
    },
    {
      name: "a number",
      assignments: ["CONFIG_SVC_MAX_RUNNING_APPS=2"],
      options: { CONFIG_SVC_MAX_RUNNING_APPS: 2 },
    },
    {
      name: "a text",
      assignments: ["CONFIG_SVC_HTTP_ALLOWED_ORIGINS=https://a.example,http://b.example:81"],
      options: { CONFIG_SVC_HTTP_ALLOWED_ORIGINS: "https://a.example,http://b.example:81" },
    },
    {
      name: "several, where the last of one name counts",
      assignments: ["CONFIG_SVC_HTTP_AUTH=on", "CONFIG_SVC_MAX_RUNNING_APPS=1", "CONFIG_SVC_HTTP_AUTH=off"],
      options: { CONFIG_SVC_HTTP_AUTH: false, CONFIG_SVC_MAX_RUNNING_APPS: 1 },
    },
  ];
  for (const { name, assignments, options } of TAKEN)
    test(`accepts ${name}`, async () => {
      expect(await readBoardOptions(assignments)).toEqual(options);
    });

  const REFUSED = [
    { assignment: "CONFIG_SVC_NOPE=1", reason: 'No build option is named "CONFIG_SVC_NOPE"' },
    { assignment: "__proto__=1", reason: 'No build option is named "__proto__"' },
    { assignment: "CONFIG_SVC_HTTP_AUTH=maybe", reason: "CONFIG_SVC_HTTP_AUTH must be" },
    { assignment: "CONFIG_SVC_MAX_RUNNING_APPS=17", reason: "takes 1 to 16 apps" },
    { assignment: "CONFIG_SVC_HTTP_ALLOWED_ORIGINS=here", reason: "must be origins like" },
    { assignment: "CONFIG_SVC_HTTP_AUTH", reason: "--config takes NAME=VALUE" },
    { assignment: "=on", reason: "--config takes NAME=VALUE" },
  ];
  for (const { assignment, reason } of REFUSED)
    test(`rejects ${assignment}`, async () => {
      await expect(readBoardOptions([assignment])).rejects.toThrow(reason);
    });
});
