/** Converts `SVC_HUB_NATS_URL` to the options of the NATS client. */
import type { ConnectionOptions } from "nats";

/**
 * @param natsUrl `nats://user:password@host:4222`, `nats://token@host`, `tls://…`; several with commas between them
 */
export function natsServers(natsUrl: string): ConnectionOptions {
  const urls = natsUrl.split(",").map((server) => new URL(server.trim()));
  const [first] = urls;
  return {
    servers: urls.map(({ host }) => host),
    ...(first && credentials(first)),
    ...(urls.some(({ protocol }) => protocol === "tls:") && { tls: {} }),
  };
}

function credentials({ username, password }: URL): ConnectionOptions {
  const name = decodeURIComponent(username);
  if (password) return { user: name, pass: decodeURIComponent(password) };
  return name ? { token: name } : {};
}
