/** A PostgreSQL database of a test's own, on the server that the tests may use. */
import { randomBytes } from "node:crypto";
import pg from "pg";
import { natsUrl, postgresUrl } from "../../hosts/peers.js";

export { natsUrl, postgresUrl };

export interface TestDatabase {
  /** `postgres://…/svc_hub_test_…` */
  readonly url: string;
  /** Drops it, and disconnects all clients. */
  drop(): Promise<void>;
}

/** @param serverUrl one of its databases, in which the new one is asked for */
export async function createTestDatabase(serverUrl = postgresUrl): Promise<TestDatabase> {
  const name = `svc_hub_test_${randomBytes(8).toString("hex")}`;
  await inDatabase(serverUrl, `create database ${name} template template0`); // a template without connections
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const drop = () => inDatabase(serverUrl, `drop database if exists ${name} with (force)`);
  return { url: url.href, drop: async () => void (await drop()) };
}

/** @returns the rows that the statement gives */
export async function inDatabase(url: string, statement: string): Promise<readonly object[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}
