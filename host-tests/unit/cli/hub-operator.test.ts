/** What the operator's commands do to a hub that does not run: its database is there with the first of them. */
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { Publisher } from "../../hosts/publisher.js";
import { temporaryDirectory } from "../../hosts/simulator-program.js";
import { runSvcIn, SVC_TIMEOUT_MS } from "./run-svc.js";

const temporary = temporaryDirectory();
afterAll(() => temporary.remove());
const fileOf = (name: string) => path.join(temporary.path, name);

const key = new Publisher();
const second = new Publisher();
writeFileSync(fileOf("key.pem"), `A comment\n${key.pem}`);
writeFileSync(fileOf("second.pem"), second.pem);

let storage: string;
let count = 0;
beforeEach(() => {
  storage = fileOf(`hub-${count++}`);
});

const svc = (...args: readonly string[]) =>
  runSvcIn({ SVC_HUB_STORAGE_PATH: storage, SVC_HUB_SECRET: "secret" }, args);
const json = (...args: readonly string[]) => {
  const { status, stdout, stderr } = svc(...args, "--json");
  expect([status, stderr]).toEqual([0, ""]);
  return JSON.parse(stdout);
};
const add = (name = "Pixel Works") => json("hub", "publisher", "add", name, "--key", fileOf("key.pem"));

describe("The operator's commands", { timeout: SVC_TIMEOUT_MS }, () => {
  test("make a publisher and print their token, which is kept nowhere", () => {
    const added = add();
    expect(Object.keys(added)).toEqual(["publisher_id", "token"]);
    expect(added.token).toMatch(/^svcp_[A-Za-z0-9_-]{43}$/);
    const { publishers } = json("hub", "publisher", "list");
    expect(publishers).toEqual([
      {
        publisher_id: added.publisher_id,
        name: "Pixel Works",
        created_at: expect.stringMatching(/^\d{4}-.*Z$/),
        revoked_at: null,
      },
    ]);
    const files = ["hub.db", "hub.db-wal"].map((name) => path.join(storage, name));
    for (const file of files.filter((name) => statSync(name, { throwIfNoEntry: false })))
      expect(readFileSync(file, "latin1")).not.toContain(added.token);
  });

  test("say the same in lines for people", () => {
    const { stdout } = svc("hub", "publisher", "add", "Ada", "--key", fileOf("key.pem"));
    expect(stdout).toMatch(/^publisher [0-9a-f-]{36}\ntoken svcp_\S{43}\n$/);
    expect(svc("hub", "publisher", "list").stdout).toMatch(/^[0-9a-f-]{36} {2}\S+Z {2}active {2}Ada\n$/);
  });

  test("revoke a publisher, once and for all", () => {
    add();
    const revoked = json("hub", "publisher", "revoke", "Pixel Works");
    expect(revoked.revoked_at).toMatch(/Z$/);
    expect(json("hub", "publisher", "revoke", "Pixel Works")).toEqual(revoked);
    expect(json("hub", "publisher", "list").publishers).toEqual([revoked]);
  });

  test("add, list and revoke keys", () => {
    add();
    const added = json("hub", "key", "add", "Pixel Works", "--key", fileOf("second.pem"));
    const { keys } = json("hub", "key", "list", "Pixel Works");
    expect(keys).toHaveLength(2);
    expect(keys).toContainEqual(added);
    expect(added.public_key).toMatch(/^[0-9a-f]{64}$/);
    const revoked = json("hub", "key", "revoke", "Pixel Works", added.key_id);
    expect(revoked).toEqual({ ...added, revoked_at: expect.stringMatching(/Z$/) });
    expect(json("hub", "key", "list", "Pixel Works").keys).toContainEqual(revoked);
  });

  test("say when a secret was made, and not what it is", () => {
    const args = ["hub", "publisher", "add", "Ada", "--key", fileOf("key.pem")];
    const { status, stderr } = runSvcIn({ SVC_HUB_STORAGE_PATH: storage }, args);
    expect(status).toBe(0);
    expect(stderr).toMatch(/^svc: .*secret.*\n$/);
    const secret = readFileSync(path.join(storage, "secret"), "utf8").trim();
    expect(stderr).not.toContain(secret);
  });

  test("make a hub with its first publisher alone", () => {
    for (const args of [
      ["publisher", "list"],
      ["key", "list", "Ada"],
    ]) {
      const { status, stderr } = runSvcIn({ SVC_HUB_STORAGE_PATH: storage }, ["hub", ...args]);
      expect([status, stderr]).toEqual([1, expect.stringMatching(/^svc: .*no hub.*\n$/)]);
      expect(existsSync(storage)).toBe(false);
    }
  });

  test("refuse what cannot be with its code", () => {
    add();
    const { status, stdout, stderr } = svc(
      "hub",
      "key",
      "add",
      "Pixel Works",
      "--key",
      fileOf("key.pem"),
      "--json",
    );
    expect([status, stdout]).toEqual([1, ""]);
    expect(JSON.parse(stderr)).toEqual({ error: "key_exists", message: expect.stringMatching(/./) });
  });

  test("end with status 1 and the reason where the hub's storage cannot be", () => {
    mkdirSync(fileOf("taken"), { recursive: true });
    writeFileSync(fileOf("taken/file"), "");
    storage = fileOf("taken/file/hub");
    const { status, stderr } = svc("hub", "publisher", "add", "Ada", "--key", fileOf("key.pem"));
    expect([status, stderr.split("\n").length]).toEqual([1, 2]);
  });

  test("end with status 2 where they are not typed as they are", () => {
    for (const args of [["publisher", "add", "Ada"], ["publisher"], ["key", "revoke", "Ada"]])
      expect(svc("hub", ...args).status).toBe(2);
  });
});
