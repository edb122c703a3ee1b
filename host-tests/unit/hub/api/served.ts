/** A server of the hub's for rows of a test's own, with nothing behind it. */
import { onTestFinished } from "vitest";
import type { Endpoint } from "../../../../hub/api/endpoint.js";
import { createServer } from "../../../../hub/api/server.js";
import type { HubConfig } from "../../../../hub/config/read-config.js";
import type { WebFile } from "../../../../hub/page/web-page.js";
import type { HubServices } from "../../../../hub/services.js";

interface LogLine {
  readonly level: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

const NO_BUDGETS = { requestsPerMinute: 0, addressRequestsPerMinute: 0 };

/** Closed when the test is over. */
export async function served(
  rows: readonly Endpoint[],
  config: Partial<HubConfig> = {},
  page?: readonly WebFile[],
) {
  const log: LogLine[] = [];
  const observed: (readonly unknown[])[] = [];
  const services = {
    config: {
      trustsProxy: false,
      maxPackageBytes: 1000,
      maxFirmwareBytes: 2000,
      tls: undefined,
      ...NO_BUDGETS,
      ...config,
    },
    logger: logger(log),
    audit: { record: () => {} },
    metrics: { observe: (...seen: readonly unknown[]) => void observed.push(seen), observer: () => () => {} },
    page,
  } as unknown as HubServices;
  const server = await createServer(services, rows);
  onTestFinished(() => server.close());
  return { server, log, observed };
}

function logger(log: LogLine[]): object {
  const level = (name: string) => (fields: Record<string, unknown>, message: string) =>
    void log.push({ level: name, fields, message });
  const names = ["trace", "debug", "info", "warn", "error", "fatal", "silent"];
  const made: Record<string, unknown> = Object.fromEntries(names.map((name) => [name, level(name)]));
  return Object.assign(made, { level: "debug", child: () => made });
}
