/** Backups of a running hub, restored to a database of the other kind (docs/hub.md#back-up-a-hub). */
import { execFileSync, spawn } from "node:child_process";
import { constants, mkdtemp, open, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { BACKED_UP, LEFT_OUT } from "../../../hub/backup/backup-format.js";
import { restoreHub } from "../../../hub/backup/restore.js";
import { ConfigError } from "../../../hub/config/variables.js";
import { withOperator } from "../../../hub/operator.js";
import { isMissing } from "../../hosts/peers.js";
import { runSvcIn, SVC_TIMEOUT_MS } from "../../unit/cli/run-svc.js";
import { World } from "../api/world.js";
import { type Environment, HubDidNotStart, HubProcess } from "../hosts/hub-process.js";
import { CLUSTERED_HUB, EMBEDDED_HUB, type HubKind, type HubUnderTest } from "../hosts/hub-under-test.js";
import { request } from "../hosts/request.js";
import { createTestDatabase } from "../hosts/test-database.js";
import { Channel, eventually } from "../push/channel.js";
import { withDatabase } from "../push/database-of.js";

const missing = isMissing("postgres") || isMissing("nats");

interface Move {
  readonly name: string;
  readonly from: HubKind;
  /** The database of the new hub; `undefined` for SQLite. */
  readonly to: "postgres" | undefined;
}

const MOVES: readonly Move[] = [
  { name: "from SQLite to PostgreSQL", from: EMBEDDED_HUB, to: "postgres" },
  { name: "from PostgreSQL to SQLite", from: CLUSTERED_HUB, to: undefined },
];

async function temporary(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), "hub-backup-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

for (const { name, from, to } of MOVES)
  describe.skipIf(missing)(`A backup ${name}`, () => {
    let hub: HubUnderTest;
    let world: World;
    let backup: string;
    /** Ids of what it contains. */
    let made: { readonly app: string; readonly command: string; readonly rollout: string };

    beforeAll(async () => {
      hub = await from.start();
      world = await World.make(hub);
      made = {
        app: await world.appWithScreenshot(),
        command: await world.command(),
        rollout: await world.rollout(),
      };
      const audit = async () =>
        (await world.ask(world.account.token, "GET", "/account/audit?per_page=100")).body.entries;
      const hasLast = (entries: readonly { readonly action: string }[]) =>
        entries.some(({ action }) => action === "POST /rollouts");
      await eventually(audit, hasLast); // entries are written soon after the answers
      backup = path.join(await mkdtemp(path.join(tmpdir(), "hub-backup-")), "backup");
      await withOperator(hub.environment, ({ backUp }) => backUp(backup));
    });
    afterAll(async () => {
      await hub?.stop();
      await rm(path.dirname(backup), { recursive: true });
    });

    /** Of a hub that is not there yet, with the same secret. */
    const newEnvironment = async (): Promise<Environment> => {
      const database = to && (await createTestDatabase());
      if (database) onTestFinished(() => database.drop());
      const { SVC_HUB_DATABASE_URL, SVC_HUB_NATS_URL, ...rest } = hub.environment;
      return {
        ...rest,
        SVC_HUB_STORAGE_PATH: path.join(await temporary(), "storage"),
        ...(database && { SVC_HUB_DATABASE_URL: database.url }),
      };
    };
    const started = async (environment: Environment) => {
      const process = await HubProcess.start({ ...environment, SVC_HUB_PORT: "0" });
      onTestFinished(async () => void (await process.stop()));
      return process;
    };

    test("makes a hub with the same people, apps, files, orders and log", async () => {
      const environment = await newEnvironment();
      await restoreHub(environment, backup);
      const { origin } = await started(environment);
      const { token } = world.account;
      const paths = [
        ...["/account/devices", "/account/members", "/account/tokens", "/account/audit?per_page=100"],
        ...["/account/groups", `/devices/${world.device.deviceId}/history`],
        ...[`/rollouts/${made.rollout}`, `/rollouts/${made.rollout}/devices`, "/firmware?per_page=100"],
        ...[`/catalog/${made.app}`, `/catalog/${made.app}/page`, `/catalog?q=${made.app}&sort=relevance`],
        ...[`/devices/${world.device.deviceId}/commands/${made.command}`],
      ];
      const read = async (at: string, place: string) =>
        (await request(at, "GET", place, { token })).body as unknown;
      for (const place of paths) {
        const before = JSON.stringify(await read(hub.origin, place));
        const after = JSON.stringify(await read(origin, place));
        const address = /http:\/\/127\.0\.0\.1:\d+/g; // of the process that answers
        expect([place, after.replaceAll(address, "")]).toEqual([place, before.replaceAll(address, "")]);
      }
      const download = `/catalog/${made.app}/download`;
      const [old, restored] = [
        await request(hub.origin, "GET", download, { token }),
        await request(origin, "GET", download, { token }),
      ];
      expect(Buffer.compare(old.bytes, restored.bytes)).toBe(0);
      expect(restored.headers.get("x-svc-signature")).toBe(old.headers.get("x-svc-signature"));
    });

    test("makes a hub that continues: pending orders are sent, and new ones follow them", async () => {
      const environment = await newEnvironment();
      await restoreHub(environment, backup);
      const { origin } = await started(environment);
      const { token } = world.account;
      const channel = await Channel.open(origin, world.device.token);
      onTestFinished(() => channel.close());
      const given = `/devices/${world.device.deviceId}/apps/later`;
      expect((await request(origin, "DELETE", given, { token })).status).toBe(202);
      const list = await request(origin, "GET", `/devices/${world.device.deviceId}/commands`, { token });
      const ids = list.body.commands.map(({ command_id }: { command_id: string }) => command_id);
      expect(ids.indexOf(made.command)).toBeGreaterThan(0); // newest first
      const sent = [await channel.next("app.uninstall"), await channel.next("app.uninstall")];
      expect(sent[0].command_id).toBe(made.command);
      expect(sent[1].app_id).toBe("later");
      expect(
        (await request(origin, "POST", "/account/members", { token, json: { name: "New", role: "viewer" } }))
          .status,
      ).toBe(201);
      const log = () => request(origin, "GET", "/account/audit", { token });
      await eventually(log, ({ body }) => body.entries[0]?.action === "POST /account/members");
    });

    test("is not restored over a hub", async () => {
      const environment = await newEnvironment();
      await restoreHub(environment, backup);
      await expect(restoreHub(environment, backup)).rejects.toThrow("a hub already");
      await expect(restoreHub(hub.environment, backup)).rejects.toThrow("a hub already");
    });

    const damages: readonly {
      readonly name: string;
      readonly file: (backup: string) => Promise<string>;
      /** Without it, the file is missing. */
      readonly damaged?: (whole: Buffer) => Buffer | string;
      readonly reason: string;
    }[] = [
      {
        name: "a row that is cut",
        file: async (at) => path.join(at, "tables", "rollout_devices.jsonl"),
        damaged: (whole) => whole.subarray(0, -10),
        reason: 'table "rollout_devices" is cut off or damaged',
      },
      {
        name: "missing rows",
        file: async (at) => path.join(at, "tables", "rollout_devices.jsonl"),
        damaged: () => "",
        reason: 'table "rollout_devices" is cut off or damaged: it has 0 rows',
      },
      {
        name: "a missing table",
        file: async (at) => path.join(at, "tables", "webhooks.jsonl"),
        reason: 'table "webhooks" is missing',
      },
      {
        name: "rows that are not those of a hub",
        file: async (at) => path.join(at, "tables", "accounts.jsonl"),
        damaged: () => '{"color":"green"}\n',
        reason: 'table "accounts" is damaged',
      },
      {
        name: "the rows of another hub",
        file: async (at) => path.join(at, "tables", "hub.jsonl"),
        damaged: (whole) => JSON.stringify({ ...JSON.parse(whole.toString()), id: "another" }),
        reason: "its rows are not those of hub",
      },
      {
        name: "a file with other bytes",
        file: async (at) => path.join(at, "files", (await readdir(path.join(at, "files")))[0] ?? ""),
        damaged: () => "other bytes",
        reason: "is damaged",
      },
      {
        name: "a missing file",
        file: async (at) => path.join(at, "files", (await readdir(path.join(at, "files")))[0] ?? ""),
        reason: "is missing",
      },
    ];
    test("is restored whole or not at all, and the message names what is damaged", async () => {
      const environment = await newEnvironment();
      for (const { name: damage, file, damaged, reason } of damages) {
        const place = await file(backup);
        const whole = await readFile(place);
        await (damaged ? writeFile(place, damaged(whole)) : rm(place));
        const refusal = await restoreHub(environment, backup).catch((error: unknown) => error);
        expect([damage, refusal]).toEqual([damage, expect.any(ConfigError)]);
        expect((refusal as Error).message).toContain(reason);
        await writeFile(place, whole);
      }
      const other = { ...environment, SVC_HUB_SECRET: "another one" };
      await expect(restoreHub(other, backup)).rejects.toThrow("SVC_HUB_SECRET");
      await restoreHub(environment, backup);
    });

    test("whose restore is interrupted leaves no hub, lets none be made in its place, and is restored by another run", async () => {
      const environment = await newEnvironment();
      // The restore waits for its last table, while it has written the others.
      const table = path.join(backup, "tables", `${BACKED_UP.at(-1)}.jsonl`);
      const rows = await readFile(table);
      await rm(table);
      execFileSync("mkfifo", [table]);
      const restoring = spawn(
        path.join(import.meta.dirname, "../../../cli/svc.js"),
        ["hub", "restore", backup],
        {
          env: { ...process.env, ...environment },
          stdio: "ignore",
        },
      );
      const ended = new Promise((resolve) => restoring.once("close", (_status, signal) => resolve(signal)));
      const waits = await vi.waitFor(
        () => open(table, constants.O_WRONLY | constants.O_NONBLOCK),
        SVC_TIMEOUT_MS,
      );
      restoring.kill("SIGKILL");
      expect(await ended).toBe("SIGKILL");
      await waits.close();
      await rm(table);
      await writeFile(table, rows);

      const refusal = await HubProcess.start({ ...environment, SVC_HUB_PORT: "0" }).catch(
        (error: unknown) => error,
      );
      expect(refusal).toBeInstanceOf(HubDidNotStart);
      expect((refusal as HubDidNotStart).status).toBe(2);
      expect((refusal as HubDidNotStart).stderr.at(-1)).toContain("svc hub restore");

      await restoreHub(environment, backup);
      const { origin } = await started(environment);
      const { token } = world.account;
      expect((await request(origin, "GET", `/catalog/${made.app}`, { token })).status).toBe(200);
    });
  });

test("A backup has each table of a hub, except for those that last for minutes", async () => {
  const hub = await EMBEDDED_HUB.start();
  onTestFinished(() => hub.stop());
  const tables = await withDatabase(hub, (database) => database.introspection.getTables());
  const names = tables.map(({ name }) => name).filter((name) => name !== "migrations");
  expect([...BACKED_UP, ...LEFT_OUT].sort()).toEqual(names.sort());
});

test("A backup of a hub with a secret of its own contains the secret; one of another hub needs it given", async () => {
  const hub = await EMBEDDED_HUB.start({ environment: { SVC_HUB_SECRET: "" } });
  onTestFinished(() => hub.stop());
  const directory = await temporary();
  const backup = path.join(directory, "backup");
  await withOperator(hub.environment, ({ backUp }) => backUp(backup));
  const { body } = await request(hub.origin, "POST", "/accounts");
  expect(body.account_token).toMatch(/^svca_/);
  const environment = { ...hub.environment, SVC_HUB_STORAGE_PATH: path.join(directory, "restored") };
  await restoreHub(environment, backup);
  expect(await readFile(path.join(directory, "restored", "secret"), "utf8")).toBe(
    await readFile(path.join(hub.storagePath, "secret"), "utf8"),
  );
  await rm(path.join(backup, "secret"));
  const other = { ...hub.environment, SVC_HUB_STORAGE_PATH: path.join(directory, "other") };
  await expect(restoreHub(other, backup)).rejects.toThrow("SVC_HUB_SECRET");
});

test("What is no complete backup is not restored, and nothing is overwritten by one", async () => {
  const hub = await EMBEDDED_HUB.start();
  onTestFinished(() => hub.stop());
  const directory = await temporary();
  const environment = { ...hub.environment, SVC_HUB_STORAGE_PATH: path.join(directory, "storage") };
  const backup = path.join(directory, "backup");
  await expect(restoreHub(environment, backup)).rejects.toThrow("not a directory that can be read");
  await expect(restoreHub(environment, directory)).rejects.toThrow("it is empty");
  await writeFile(path.join(directory, "letter.txt"), "Dear Ada");
  await expect(restoreHub(environment, directory)).rejects.toThrow("not a backup of a hub");
  await withOperator(hub.environment, ({ backUp }) => backUp(backup));
  await expect(withOperator(hub.environment, ({ backUp }) => backUp(backup))).rejects.toThrow("EEXIST");
  const description = path.join(backup, "backup.json");
  const written = JSON.parse(await readFile(description, "utf8"));
  await rm(description);
  await expect(restoreHub(environment, backup)).rejects.toThrow("not a complete backup");
  for (const text of ["", JSON.stringify(written).slice(0, -20)]) {
    await writeFile(description, text);
    await expect(restoreHub(environment, backup)).rejects.toThrow('"backup.json" is cut off or damaged');
  }
  for (const foreign of [{}, null, [], { format: 1 }, { ...written, files: ["../../etc/passwd"] }]) {
    await writeFile(description, JSON.stringify(foreign));
    await expect(restoreHub(environment, backup)).rejects.toThrow("not a backup of a hub");
  }
  for (const change of [{ format: 2 }, { migrations: [...written.migrations, "9999-later"] }]) {
    await writeFile(description, JSON.stringify({ ...written, ...change }));
    await expect(restoreHub(environment, backup)).rejects.toThrow("newer hub");
  }
});

test(
  "svc backs up and restores the hub of its environment, and says why it cannot",
  async () => {
    const hub = await EMBEDDED_HUB.start();
    onTestFinished(() => hub.stop());
    const directory = await temporary();
    const backup = path.join(directory, "backup");
    const svc = (environment: Environment, command: string) =>
      runSvcIn(environment, ["hub", command, backup, "--json"]);
    const made = svc(hub.environment, "backup");
    expect([made.status, made.stderr]).toEqual([0, ""]);
    const environment = { ...hub.environment, SVC_HUB_STORAGE_PATH: path.join(directory, "storage") };
    const restored = svc(environment, "restore");
    expect([restored.status, restored.stderr, restored.stdout]).toEqual([0, "", made.stdout]);
    for (const [command, reason] of [
      ["backup", "hub_unusable"],
      ["restore", "config_invalid"],
    ] as const) {
      const again = svc(environment, command);
      expect([again.status, JSON.parse(again.stderr).error]).toEqual([1, reason]);
    }
  },
  SVC_TIMEOUT_MS * 4,
);
