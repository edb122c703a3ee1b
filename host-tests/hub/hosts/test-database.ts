/** A private PostgreSQL database on the server that tests share. */
import { randomBytes } from "node:crypto";
import pg from "pg";
import { natsUrl, postgresUrl } from "../../hosts/peers.js";

export { natsUrl };

export interface TestDatabase {
  /** `postgres://…/svc_hub_test_…` */
  readonly url: string;
  /** Drops the database and disconnects all clients. */
  drop(): Promise<void>;
}

/** @param serverUrl an existing database of the server, used to create the new one */
export async function createTestDatabase(serverUrl = postgresUrl): Promise<TestDatabase> {
  const name = `svc_hub_test_${randomBytes(8).toString("hex")}`;
  await inDatabase(serverUrl, `create database ${name} template template0`); // a template without connections
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const drop = () => inDatabase(serverUrl, `drop database if exists ${name} with (force)`);
  return { url: url.href, drop: async () => void (await drop()) };
}

/** Runs a statement in the database. @returns its rows */
export async function inDatabase(url: string, statement: string): Promise<readonly object[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}
