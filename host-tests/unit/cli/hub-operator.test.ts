/**
 * What the operator's commands do to a hub that does not run: its database is there with the first of them
 * (docs/spec/cli.md#hub-commands).
 */
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
  test("create a publisher and print the token, which is not stored", () => {
    const added = add();
    expect(Object.keys(added)).toEqual(["publisher_id", "token"]);
    expect(added.token).toMatch(/^svcp_[A-Za-z0-9_-]{43}$/);
    const { publishers } = json("hub", "publisher", "list");
    expect(publishers).toEqual([
      {
        publisher_id: added.publisher_id,
        name: "Pixel Works",
        firmware: [],
        created_at: expect.stringMatching(/^\d{4}-.*Z$/),
        revoked_at: null,
      },
    ]);
    const files = ["hub.db", "hub.db-wal"].map((name) => path.join(storage, name));
    for (const file of files.filter((name) => statSync(name, { throwIfNoEntry: false })))
      expect(readFileSync(file, "latin1")).not.toContain(added.token);
  });

  test("print lines for people", () => {
    const { stdout } = svc("hub", "publisher", "add", "Ada", "--key", fileOf("key.pem"));
    expect(stdout).toMatch(/^publisher [0-9a-f-]{36}\ntoken svcp_\S{43}\n$/);
    expect(svc("hub", "publisher", "list").stdout).toMatch(/^[0-9a-f-]{36} {2}\S+Z {2}active {2}Ada\n$/);
  });

  test("revoke a publisher, once", () => {
    add();
    const answer = json("hub", "publisher", "revoke", "Pixel Works");
    const { withdrawn, ...revoked } = answer;
    expect(withdrawn).toEqual({ apps: [], firmware: [] });
    expect(revoked.revoked_at).toMatch(/Z$/);
    expect(json("hub", "publisher", "revoke", "Pixel Works")).toEqual(answer);
    expect(json("hub", "publisher", "list").publishers).toEqual([revoked]);
  });

  test("give and take the right to publish firmware, by architecture", () => {
    json("hub", "publisher", "add", "Ada", "--key", fileOf("key.pem"), "--firmware", "xtensa,native");
    const right = () => json("hub", "publisher", "list").publishers[0].firmware;
    expect([...right()].sort()).toEqual(["native", "xtensa"]);
    expect(svc("hub", "publisher", "firmware", "Ada", "none").stdout).toBe("Ada: firmware for none\n");
    expect(right()).toEqual([]);
    expect(json("hub", "publisher", "firmware", "Ada", "native").firmware).toEqual(["native"]);
    const { status, stderr } = svc("hub", "publisher", "firmware", "Ada", "mips");
    expect([status, stderr]).toEqual([1, expect.stringContaining("bad_parameter")]);
  });

  test("make a new token for a publisher and revoke the old one", () => {
    const added = add();
    const renewed = json("hub", "publisher", "token", "Pixel Works");
    expect(renewed.publisher_id).toBe(added.publisher_id);
    expect(renewed.token).toMatch(/^svcp_[A-Za-z0-9_-]{43}$/);
    expect(renewed.token).not.toBe(added.token);
  });

  test("report what cannot be withdrawn because it does not exist", () => {
    add();
    const { status, stderr } = svc("hub", "firmware", "withdraw", "9.9.9");
    expect([status, stderr]).toEqual([1, expect.stringContaining("firmware_not_found")]);
  });

  test("accept a key succession only from a key of the same publisher", () => {
    add();
    const other = new Publisher();
    const hex = (key: Publisher) =>
      Buffer.from(key.pem.split("\n")[1] ?? "", "base64")
        .subarray(-32)
        .toString("hex");
    const link = (from: Publisher, to: Publisher) => {
      const text = `svc successor\n${hex(from)}\n${hex(to)}\n`;
      return `${hex(from)}:${hex(to)}:${Buffer.from(from.signBytes(Buffer.from(text))).toString("hex")}\n`;
    };
    const give = (text: string) => {
      const file = fileOf(`${count}.succession`);
      writeFileSync(file, text);
      return svc(
        "hub",
        "key",
        "add",
        "Pixel Works",
        "--key",
        fileOf("second.pem"),
        "--succession",
        file,
        "--json",
      );
    };
    for (const bad of [link(other, second), link(key, other), "x"])
      expect(give(bad)).toMatchObject({ status: 1, stderr: expect.stringContaining("signature_invalid") });
    const taken = give(link(key, second));
    expect(JSON.parse(taken.stdout).succeeds).toEqual([hex(key)]);
  });

  test("add, list and revoke keys", () => {
    add();
    const added = json("hub", "key", "add", "Pixel Works", "--key", fileOf("second.pem"));
    const { keys } = json("hub", "key", "list", "Pixel Works");
    expect(keys).toHaveLength(2);
    expect(keys).toContainEqual(added);
    expect(added.public_key).toMatch(/^[0-9a-f]{64}$/);
    const { withdrawn, ...revoked } = json("hub", "key", "revoke", "Pixel Works", added.key_id);
    expect(withdrawn).toEqual({ apps: [], firmware: [] });
    expect(revoked).toEqual({ ...added, revoked_at: expect.stringMatching(/Z$/) });
    expect(json("hub", "key", "list", "Pixel Works").keys).toContainEqual(revoked);
  });

  test("report that a secret was created, without showing it", () => {
    const args = ["hub", "publisher", "add", "Ada", "--key", fileOf("key.pem")];
    const { status, stderr } = runSvcIn({ SVC_HUB_STORAGE_PATH: storage }, args);
    expect(status).toBe(0);
    expect(stderr).toMatch(/^svc: .*secret.*\n$/);
    const secret = readFileSync(path.join(storage, "secret"), "utf8").trim();
    expect(stderr).not.toContain(secret);
  });

  test("report that there is no hub, and create none, when they list publishers or keys", () => {
    for (const args of [
      ["publisher", "list"],
      ["key", "list", "Ada"],
    ]) {
      const { status, stderr } = runSvcIn({ SVC_HUB_STORAGE_PATH: storage }, ["hub", ...args]);
      expect([status, stderr]).toEqual([1, expect.stringMatching(/^svc: .*no hub.*\n$/)]);
      expect(existsSync(storage)).toBe(false);
    }
  });

  test("reject invalid arguments with their code", () => {
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

  test("exit with status 1 and the reason if the hub's storage cannot be created", () => {
    mkdirSync(fileOf("taken"), { recursive: true });
    writeFileSync(fileOf("taken/file"), "");
    storage = fileOf("taken/file/hub");
    const { status, stderr } = svc("hub", "publisher", "add", "Ada", "--key", fileOf("key.pem"));
    expect([status, stderr.split("\n").length]).toEqual([1, 2]);
  });

  test("exit with status 2 on wrong usage", () => {
    for (const args of [["publisher", "add", "Ada"], ["publisher"], ["key", "revoke", "Ada"]])
      expect(svc("hub", ...args).status).toBe(2);
  });
});
