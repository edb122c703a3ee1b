/** A server of S3-compatible storage, on this machine. It checks access keys, but no signatures. */
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import type { S3Config } from "../../../hub/files/s3-store.js";

/** What of it is used: it comes without types. */
interface Server {
  run(): Promise<{ readonly port: number }>;
  close(): Promise<void>;
}
type ServerClass = new (options: {
  readonly port: number;
  readonly address: string;
  readonly silent: boolean;
  readonly directory: string;
  readonly configureBuckets: readonly { readonly name: string; readonly configs: readonly string[] }[];
}) => Server;

const S3Server = createRequire(import.meta.url)("s3rver") as ServerClass;

export interface TestBucket {
  readonly config: S3Config;
  /** For a hub. */
  readonly environment: Readonly<Record<string, string>>;
  /** Where the server keeps what is in its buckets. */
  readonly directory: string;
  close(): Promise<void>;
}

const BUCKET = "hub-files";

/** Its own key. */
const KEY = "S3RVER";

export async function startBucket(): Promise<TestBucket> {
  const directory = await mkdtemp(path.join(tmpdir(), "s3-"));
  const server = new S3Server({
    port: 0,
    address: "127.0.0.1",
    silent: true,
    directory,
    configureBuckets: [{ name: BUCKET, configs: [] }],
  });
  const { port } = await server.run();
  const endpoint = `http://127.0.0.1:${port}`;
  const config = { endpoint, bucket: BUCKET, region: "us-east-1", accessKey: KEY, secretKey: KEY };
  return {
    config,
    directory,
    environment: {
      SVC_HUB_S3_ENDPOINT: endpoint,
      SVC_HUB_S3_BUCKET: BUCKET,
      SVC_HUB_S3_ACCESS_KEY: KEY,
      SVC_HUB_S3_SECRET_KEY: KEY,
    },
    async close() {
      await server.close();
      await rm(directory, { recursive: true });
    },
  };
}
