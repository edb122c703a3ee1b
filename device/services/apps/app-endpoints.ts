/** `/api/apps/…` (docs/spec/management-api.md#apps). */
import type { Call, Services } from "../api/endpoint.js";
import type { JsonAnswer, StreamedAnswer } from "../api/request.js";
import { AppListStream } from "./app-list-stream.js";

export function listApps({ apps }: Services): StreamedAnswer {
  return { status: 200, mediaType: "application/json", stream: new AppListStream(apps) };
}

export function startApp({ apps }: Services, call: Call): JsonAnswer {
  return { status: 200, body: apps.start(nameOf(call)) };
}

export async function stopApp({ apps }: Services, call: Call): Promise<JsonAnswer> {
  return { status: 200, body: await apps.stop(nameOf(call)) };
}

export async function uninstallApp({ apps }: Services, call: Call): Promise<JsonAnswer> {
  const name = nameOf(call);
  await apps.uninstall(name);
  return { status: 200, body: { removed: name } };
}

/** Endpoints declare `name` as required. */
function nameOf({ parameters }: Call): string {
  return parameters.text("name") ?? "";
}
