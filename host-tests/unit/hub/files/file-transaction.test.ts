/** Files and the rows that name them stay consistent under concurrent uploads and deletions. */
import { createHash, randomUUID } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { sql, type Transaction } from "kysely";
import { afterEach, assert, beforeEach, describe, expect, test } from "vitest";
import { type OpenedDatabase, openDatabase } from "../../../../hub/database/open-database.js";
import type { Tables } from "../../../../hub/database/schema.js";
import { ContentStore } from "../../../../hub/files/content-store.js";
import { deleteOrphans, fileTransaction } from "../../../../hub/files/file-transaction.js";
import { isMissing } from "../../../hosts/peers.js";
import { createTestDatabase } from "../../../hub/hosts/test-database.js";

const DATABASES = [
  { name: "SQLite", missing: false, create: async () => ({ url: undefined, drop: async () => {} }) },
  { name: "PostgreSQL", missing: isMissing("postgres"), create: createTestDatabase },
];

const content = new Uint8Array(100).fill(7);
const sha256 = createHash("sha256").update(content).digest("hex");

for (const { name, missing, create } of DATABASES)
  describe.skipIf(missing)(`A stored file on ${name}`, () => {
    let storagePath: string;
    let opened: OpenedDatabase;
    let files: ContentStore;
    let drop: () => Promise<void>;
    let warnings: unknown[];
    beforeEach(async () => {
      storagePath = mkdtempSync(path.join(tmpdir(), "hub-kept-"));
      const created = await create();
      drop = () => created.drop();
      opened = await openDatabase({ storagePath, databaseUrl: created.url });
      files = await ContentStore.open(storagePath);
      warnings = [];
    });
    afterEach(async () => {
      await opened.database.destroy();
      await drop();
      rmSync(storagePath, { recursive: true });
    });

    const names = () => readdirSync(path.join(storagePath, "files"));
    const context = () => {
      const logger = { warn: (...said: unknown[]) => void warnings.push(said) };
      return { ...opened, files, logger } as unknown as Parameters<typeof fileTransaction>[0];
    };
    const insert = (transaction: Transaction<Tables>, version = "1.0.0") =>
      transaction
        .insertInto("firmware")
        .values({
          arch: "native",
          version,
          version_order: version,
          publisher_id: "ada",
          board: "",
          sha256,
          size_bytes: content.length,
          signature: "",
          notes: "",
          published_at: 0,
          public_key: "",
        })
        .execute();
    const addPublisher = () =>
      opened.database
        .insertInto("publishers")
        .values({ id: "ada", name: "Ada", token_hash: "", created_at: 0, revoked_at: null })
        .execute();
    const failing = () =>
      fileTransaction(context(), async (_transaction, put) => {
        await put(content);
        throw new Error("lost");
      });
    const grow = (file: string) => {
      const before = Date.now() / 1000 - 7200;
      utimesSync(path.join(storagePath, "files", file), before, before);
    };

    test("is deleted if its row was not written", async () => {
      await expect(failing()).rejects.toThrow("lost");
      assert.deepEqual(names(), []);
    });

    test("stays if another row refers to it", async () => {
      await addPublisher();
      await fileTransaction(context(), async (transaction, put) => {
        await insert(transaction);
        await put(content);
      });
      await expect(failing()).rejects.toThrow("lost");
      assert.deepEqual(names(), [sha256]);
    });

    test("stays if it is stored again while being deleted", async () => {
      await addPublisher();
      let fail = () => {};
      const failure = new Promise<void>((resolve) => {
        fail = resolve; // at once: the other one may be there first
      });
      const failed = fileTransaction(context(), async (_transaction, put) => {
        await put(content);
        if (name !== "SQLite") await failure; // SQLite allows no other transaction meanwhile
        throw new Error("lost");
      });
      failed.catch(() => {}); // it is looked at below
      const kept = fileTransaction(context(), async (transaction, put) => {
        await insert(transaction);
        await put(content);
        fail(); // and deletes nothing before this one is over
        if (name === "PostgreSQL") await waitsForLock();
      });
      await kept;
      await expect(failed).rejects.toThrow("lost");
      assert.deepEqual(names(), [sha256]);
    });

    /** Settles once a transaction waits for a lock of this database. */
    const waitsForLock = async () => {
      const waiting = sql<{ count: number }>`
        select count(*) as count from pg_locks
        where locktype = 'advisory' and not granted
          and database = (select oid from pg_database where datname = current_database())`;
      for (;;) if (Number((await waiting.execute(opened.database)).rows[0]?.count) > 0) return;
    };

    test("is deleted at a start if it is old and no row refers to it", async () => {
      const young = createHash("sha256").update("young").digest("hex");
      await deleteOrphans(context(), opened.hubId);
      await files.put(content);
      grow(sha256);
      for (const file of [young, "notes.txt"]) writeFileSync(path.join(storagePath, "files", file), "young");
      grow("notes.txt");
      await deleteOrphans(context(), opened.hubId);
      assert.deepEqual(names().sort(), [young, "notes.txt"].sort());
    });

    test("stays at a start if a row refers to it", async () => {
      await addPublisher();
      await fileTransaction(context(), async (transaction, put) => {
        await insert(transaction);
        await put(content);
      });
      grow(sha256);
      await deleteOrphans(context(), opened.hubId);
      assert.deepEqual(names(), [sha256]);
    });

    test("stays at the start of a hub with another database, which logs that", async () => {
      await deleteOrphans(context(), randomUUID());
      await files.put(content);
      grow(sha256);
      await deleteOrphans(context(), opened.hubId);
      assert.deepEqual(names(), [sha256]);
      assert.equal(warnings.length, 1);
    });
  });
