/** Asking the console over HTTP with Node's own client. */

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

/** The body alone. */
// biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came
export async function getJson(address: string): Promise<any> {
  return (await askHttp(address)).body;
}
