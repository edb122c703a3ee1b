/** Where svc keeps tokens: in the user's directories, and never in the current one (docs/spec/cli.md#user-files). */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { readKept, writeKept } from "../../../cli/kept-json.js";
import { configDirectory, stateDirectory } from "../../../cli/user-directories.js";
import { svc, svcFailure } from "../../device/cli/svc-process.js";
import { temporaryDirectory } from "../../hosts/simulator-program.js";

const os = vi.hoisted(() => ({ home: "/home/env", listed: "/home/listed" as string | undefined }));
vi.mock("node:os", async (original) => ({
  ...(await original<typeof import("node:os")>()),
  homedir: () => os.home,
  userInfo: () => {
    if (os.listed === undefined) throw new Error("ENOENT");
    return { homedir: os.listed };
  },
}));

const temporary = temporaryDirectory();
afterAll(() => temporary.remove());
afterEach(() => vi.unstubAllEnvs());
beforeEach(() => {
  vi.stubEnv("XDG_CONFIG_HOME", undefined);
  vi.stubEnv("XDG_STATE_HOME", undefined);
  Object.assign(os, { home: "/home/env", listed: "/home/listed" });
});

describe("The user's directory is", () => {
  const PLACES = [
    { where: "that of HOME", config: "/home/env/.config/svc", state: "/home/env/.local/state/svc" },
    { where: "named absolutely", xdg: "/cfg", config: "/cfg/svc", state: "/cfg/svc" },
    { where: "that of HOME for a relative name", xdg: "cfg", config: "/home/env/.config/svc" },
    { where: "that of HOME for a name of a dot", xdg: ".", config: "/home/env/.config/svc" },
    { where: "that of HOME for an empty name", xdg: "", config: "/home/env/.config/svc" },
    { where: "the listed one for an empty HOME", home: "", config: "/home/listed/.config/svc" },
    { where: "the listed one for a relative HOME", home: "me", config: "/home/listed/.config/svc" },
    { where: "none for a user who has none", home: "", listed: undefined, config: undefined },
    { where: "none for a user whose listed one is relative", home: "", listed: "", config: undefined },
    {
      where: "the named one for a user who has none",
      home: "",
      listed: undefined,
      xdg: "/cfg",
      config: "/cfg/svc",
    },
  ];
  for (const { where, config, state, xdg, ...user } of PLACES)
    test(where, () => {
      Object.assign(os, user);
      vi.stubEnv("XDG_CONFIG_HOME", xdg);
      vi.stubEnv("XDG_STATE_HOME", xdg);
      expect(configDirectory()).toBe(config);
      if (state !== undefined) expect(stateDirectory()).toBe(state);
    });
});

test("A user without a home directory has no stored token, and is told what to set to store one", async () => {
  Object.assign(os, { home: "", listed: undefined });
  expect(await readKept("hub.json", "")).toBeUndefined();
  await expect(writeKept("hub.json", {})).rejects.toMatchObject({
    code: "file_not_written",
    message: "Cannot store hub.json: you have no home directory",
    advice: expect.stringContaining("XDG_CONFIG_HOME"),
  });
});

describe("In a directory that has a token where a relative path leads, svc", () => {
  const hub = createServer((_, response) => response.end('{"apps":[],"total":0,"page":1,"per_page":1}'));
  let current: string;
  beforeEach(async () => {
    await new Promise<void>((resolve) => hub.listen(0, "127.0.0.1", resolve));
    current = path.join(temporary.path, `current-${Math.random()}`);
    for (const place of [".config/svc", "svc", "cfg/svc"]) {
      mkdirSync(path.join(current, place), { recursive: true });
      writeFileSync(
        path.join(current, place, "hub.json"),
        '{"url":"http://127.0.0.1:1","account_token":"svca_x"}',
      );
    }
  });
  afterEach(() => new Promise((resolve) => hub.close(resolve)));

  for (const XDG_CONFIG_HOME of ["", "cfg", "."])
    test(`with XDG_CONFIG_HOME=${XDG_CONFIG_HOME} does not read it, and stores none there`, async () => {
      const home = path.join(current, "home");
      const options = { environment: { HOME: home, XDG_CONFIG_HOME }, cwd: current };
      expect(await svcFailure(["catalog"], options)).toMatchObject({ error: "hub_unset" });
      const url = `http://127.0.0.1:${(hub.address() as AddressInfo).port}`;
      const { status } = await svc(["hub", "login", "--url", url, "--token", "svca_secret"], options);
      expect(status).toBe(0);
      expect(readdirSync(path.join(home, ".config/svc"))).toEqual(["hub.json"]);
    });
});
