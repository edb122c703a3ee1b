/** Listens at the address in the settings. */
import type { FastifyInstance } from "fastify";
import type { HubConfig } from "./config/read-config.js";
import { ConfigError } from "./config/variables.js";

/** Connections that wait to be accepted: all consoles reconnect at once after a restart. */
const BACKLOG = 4096;

/** @throws {ConfigError} for a host that is none of this machine's, {Error} for a port that is taken */
export async function listen(server: FastifyInstance, { host, port }: HubConfig): Promise<void> {
  try {
    await server.listen({ host, port, backlog: BACKLOG, listenTextResolver: () => "listening" });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "EAFNOSUPPORT" && host === "::")
      return listen(server, { host: "0.0.0.0", port } as HubConfig);
    throw explain(code, host, port, error);
  }
}

function explain(code: string | undefined, host: string, port: number, cause: unknown): unknown {
  if (code === "EADDRINUSE")
    return new Error(`Cannot listen on port ${port} (SVC_HUB_PORT): it is in use`, { cause });
  if (code === "EACCES")
    return new Error(`Cannot listen on port ${port} (SVC_HUB_PORT): it is not allowed`, { cause });
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND" || code === "EAI_AGAIN")
    return new ConfigError(`Cannot use SVC_HUB_HOST="${host}": it is not an address of this machine`, {
      cause,
    });
  return cause;
}
