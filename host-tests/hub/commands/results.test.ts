/** Results of many consoles in one batch, and new commands for them, as the database of each kind has them afterwards. */
import { Kysely } from "kysely";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { applyResults, type DeviceResult } from "../../../hub/commands/command-results.js";
import { type Order, storeCommands } from "../../../hub/commands/new-commands.js";
import { migrate } from "../../../hub/database/migrate.js";
import { postgresDialect } from "../../../hub/database/postgres.js";
import type { Database, Row, Tables } from "../../../hub/database/schema.js";
import { inPieces } from "../../../hub/database/transactions.js";
import { recordEnded } from "../../../hub/rollouts/rollout-results.js";
import type { AppResult } from "../../../protocol/hub/push-messages.js";
import { isMissing } from "../../hosts/peers.js";
import { openMemoryDatabase } from "../../unit/hub/database/temporary-database.js";
import { createTestDatabase, type TestDatabase } from "../hosts/test-database.js";
import { begunRollout } from "../rollouts/begun-rollout.js";

const ACCOUNT = "account";
const now = () => 1000;

for (const dialect of ["sqlite", "postgres"] as const)
  describe.skipIf(dialect === "postgres" && isMissing("postgres"))(
    `Results in one batch on ${dialect}`,
    () => {
      let server: TestDatabase | undefined;
      let database: Database;
      let statements = 0;
      const count = () => {
        statements += 1;
      };

      beforeAll(async () => {
        if (dialect === "sqlite") {
          database = await openMemoryDatabase(count);
        } else {
          server = await createTestDatabase();
          database = new Kysely<Tables>({
            dialect: postgresDialect(server.url, { onLost: () => {} }),
            log: count,
          });
          await migrate(database, dialect);
        }
        const account = { id: ACCOUNT, token_hash: ACCOUNT, created_at: 0 };
        await database.insertInto("accounts").values(account).execute();
      });
      afterEach(async () => {
        for (const table of [
          "rollout_devices",
          "rollouts",
          "device_events",
          "device_apps",
          "commands",
          "devices",
        ] as const)
          await database.deleteFrom(table).execute();
      });
      afterAll(async () => {
        await database.destroy();
        await server?.drop();
      });

      async function addDevices(ids: readonly string[]): Promise<void> {
        const rows = ids.map((id) => ({
          id,
          token_hash: id,
          mac: id,
          name: id,
          arch: "native",
          firmware_version: "1.0.0",
          account_id: ACCOUNT,
          registered_at: 0,
          connection: 1,
        }));
        for (const piece of inPieces(rows)) await database.insertInto("devices").values(piece).execute();
      }

      function order(orders: readonly Order[]) {
        return database.transaction().execute((transaction) => {
          const config = { expireMs: 1_000_000 } as never;
          return storeCommands({ config, dialect, now, processId: "process", database: transaction }, orders);
        });
      }

      const install = (deviceId: string, subject = "bricks"): Order => {
        return { deviceId, kind: "install", subject, version: "1.0.0" };
      };

      const failure = (
        { device_id: deviceId, id: command_id, subject: app_id }: Row<"commands">,
        error: string | null,
      ): DeviceResult => ({
        deviceId,
        connection: 1,
        result: { type: "app.install.result", command_id, app_id, success: false, error },
      });

      const answer = (results: readonly DeviceResult[]) => applyResults({ database, dialect, now }, results);

      const apps = () =>
        database
          .selectFrom("device_apps")
          .select(["device_id", "state", "error"])
          .orderBy("device_id")
          .execute();

      test("a result that names another console's command changes nothing, beside the result of that console", async () => {
        await addDevices(["holder", "stranger"]);
        const { commands } = await order([install("holder")]);
        const [command] = commands as [Row<"commands">];
        const changed = await answer([
          failure(command, "storage_full"),
          { ...failure(command, "storage_full"), deviceId: "stranger" },
        ]);
        expect(changed.map(({ device_id }) => device_id)).toEqual(["holder"]);
        expect(await apps()).toEqual([{ device_id: "holder", state: "failed", error: "storage_full" }]);
      });

      test("an app that could not be removed has the error text null only if its console has sent that text", async () => {
        await addDevices(["one", "two"]);
        const app = { app_id: "bricks", version: "1.0.0", state: "installed", updated_at: 0 } as const;
        const rows = ["one", "two"].map((device_id) => ({ ...app, device_id }));
        await database.insertInto("device_apps").values(rows).execute();
        const uninstall = { kind: "uninstall", version: "" } as const;
        const { commands } = await order(["one", "two"].map((id) => ({ ...install(id), ...uninstall })));
        const errors = [null, "null"];
        await answer(
          commands.map((command, at): DeviceResult => {
            const { result, ...from } = failure(command, errors[at] ?? null);
            return { ...from, result: { ...(result as AppResult), type: "app.uninstall.result" } };
          }),
        );
        expect((await apps()).map(({ error }) => error)).toEqual(errors);
      });

      test("a console of a rollout has the error text null only if it has sent that text", async () => {
        await addDevices(["one", "two"]);
        await database.insertInto("rollouts").values(begunRollout("rollout", ACCOUNT)).execute();
        const sent = ["one", "two"].map((device_id, position) => {
          return { rollout_id: "rollout", device_id, position, state: "sent", updated_at: 0 } as const;
        });
        await database.insertInto("rollout_devices").values(sent).execute();
        await recordEnded({ database, dialect, now: 1 }, "rollout", [
          { device_id: "one", state: "failed", error: null },
          { device_id: "two", state: "failed", error: "null" },
        ]);
        const rows = await database
          .selectFrom("rollout_devices")
          .select("error")
          .orderBy("position")
          .execute();
        expect(rows.map(({ error }) => error)).toEqual([null, "null"]);
      });

      // One console alone can send so many, which must not keep the database from all the others.
      test("results that are all different take as many statements as those that are alike", async () => {
        const ids = Array.from({ length: 500 }, (_, at) => `console ${at}`);
        await addDevices(ids);
        const statementsOf = async (errorOf: (at: number) => string) => {
          const { commands } = await order(ids.map((id) => install(id)));
          statements = 0;
          const changed = await answer(commands.map((command, at) => failure(command, errorOf(at))));
          const taken = statements;
          expect(changed.map(({ error }) => error)).toEqual(ids.map((_, at) => errorOf(at)));
          expect(new Set((await apps()).map(({ error }) => error))).toEqual(
            new Set(ids.map((_, at) => errorOf(at))),
          );
          return taken;
        };
        const alike = await statementsOf(() => "storage_full");
        expect(await statementsOf((at) => `error ${at}`)).toBe(alike);
      });

      test("the results of a console are in its history in the order in which it has sent them", async () => {
        const others = Array.from({ length: 20 }, (_, at) => `console ${at}`);
        await addDevices(["one", ...others]);
        const { commands } = await order([
          install("one", "a"),
          install("one"),
          ...others.map((id) => install(id)),
        ]);
        const rest = commands.filter(({ subject }) => subject !== "a");
        const results = rest.filter(({ device_id }) => device_id !== "one");
        const first = commands.filter(({ subject }) => subject === "a");
        const second = rest.filter(({ device_id }) => device_id === "one");
        await answer([...results, ...first, ...second].map((command) => failure(command, "storage_full")));
        const history = await database
          .selectFrom("device_events")
          .select("details")
          .where("device_id", "=", "one")
          .where("kind", "=", "failed")
          .orderBy("position")
          .execute();
        expect(history.map(({ details }) => JSON.parse(`${details}`).app_id)).toEqual(["a", "bricks"]);
      });

      test("new commands have the positions that the table has", async () => {
        const ids = Array.from({ length: 361 }, (_, at) => `console ${at}`); // pieces of each size
        await addDevices(ids);
        await order(ids.map((id) => install(id)));
        const { commands } = await order(ids.flatMap((id) => [install(id), install(id, "other")]));
        const pending = database
          .selectFrom("commands")
          .select(["id", "position"])
          .where("state", "=", "pending");
        const rows = await pending.orderBy("position").execute();
        const told = commands.map(({ id, position }) => ({ id, position }));
        expect(told.sort((one, other) => one.position - other.position)).toEqual(rows);
      });
    },
  );
