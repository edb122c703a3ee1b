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

/** Requests `address` and returns only the body. */
// biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came
export async function getJson(address: string): Promise<any> {
  return (await askHttp(address)).body;
}

/**
 * Waits until Node's HTTP client has noticed all connections that the console closed before its latest output line,
 * so that no later request uses one of them. That line may have arrived after the current turn of the event loop
 * polled the sockets; every socket is polled between the end of this turn and the end of the next, hence two turns.
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
