/** HTTP requests to the console with Node's client. */
import { setImmediate } from "node:timers/promises";

/** An answer whose body is JSON. */
export interface HttpAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came
  readonly body: any;
}

export async function askHttp(address: string, init?: RequestInit): Promise<HttpAnswer> {
  const answer = await fetch(address, init);
  return { status: answer.status, body: await answer.json() };
}

/** Returns only the body. */
// biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came
export async function getJson(address: string): Promise<any> {
  return (await askHttp(address)).body;
}

/**
 * Until Node's client knows of every connection that a console closed before it said what has just been read, and uses
 * none of them. What was read may have come while this turn of the loop was on its way, after it looked at the
 * connections: all of them are looked at between the end of this turn and that of the next.
 */
export async function closedConnectionsNoticed(): Promise<void> {
  await setImmediate();
  await setImmediate();
}

/** Runs a shell command over HTTP. @returns its output */
export async function askShell(http: string, line: string): Promise<string> {
  const { body } = await askHttp(`${http}/api/cmd?${new URLSearchParams({ c: line })}`, { method: "POST" });
  return body.output;
}
