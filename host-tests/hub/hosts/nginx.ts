/** nginx in front of a hub, with the configuration of docs/hub.md: it sends the files itself. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { HubUnderTest } from "./hub-under-test.js";
import { freePort, ServedPort } from "./own-server.js";

const MANUAL = path.join(import.meta.dirname, "../../../docs/hub.md");

export interface Nginx {
  /** Of the hub behind it; below `/plain/` are the hub's files, for anybody. */
  readonly origin: string;
  stop(): Promise<void>;
}

/** For the hub's environment. */
export const ACCELERATED = Object.freeze({ SVC_HUB_ACCEL_REDIRECT: "/svc-hub-files/" });

/** @param hub with {@link ACCELERATED} */
export async function startNginx(hub: HubUnderTest): Promise<Nginx> {
  const directory = await mkdtemp(path.join(tmpdir(), "nginx-"));
  const port = await freePort();
  const settings = path.join(directory, "nginx.conf");
  await writeFile(settings, await configuration(port, hub.origin, path.join(hub.storagePath, "files")));
  const command = ["setpriv", "--pdeathsig=KILL", "nginx", "-p", directory, "-c", settings];
  const server = new ServedPort(port, command);
  await server.start();
  return {
    origin: `http://127.0.0.1:${port}`,
    async stop() {
      await server.stop("SIGTERM");
      await rm(directory, { recursive: true });
    },
  };
}

/** @param files directory of the hub's files */
async function configuration(port: number, hub: string, files: string): Promise<string> {
  const [, location = ""] = /```nginx\n(.*?)```/s.exec(await readFile(MANUAL, "utf8")) ?? [];
  return `daemon off; master_process off; pid nginx.pid; error_log stderr; events {}
    http {
      access_log off; sendfile on; client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
      uwsgi_temp_path uwsgi; scgi_temp_path scgi;
      upstream hub { server ${new URL(hub).host}; keepalive 8; }
      server {
        listen 127.0.0.1:${port};
        location / {
          proxy_pass http://hub; proxy_http_version 1.1;
          proxy_set_header Connection ""; proxy_set_header Host $http_host;
        }
        location /plain/ { alias ${files}/; }
        ${location.replace("/srv/hub/files/", `${files}/`)}
      }
    }`;
}
