/** `fetch` with a custom certificate authority, which Node's `fetch` does not support. */
import { request as httpsRequest } from "node:https";

/** @param ca certificates of the authority, in PEM */
export async function secureFetch(address: string, init: RequestInit, ca: string): Promise<Response> {
  const asked = new Request(address, init);
  const content = Buffer.from(await asked.arrayBuffer());
  return new Promise((resolve, reject) => {
    const options = { ca, method: asked.method, headers: Object.fromEntries(asked.headers), agent: false };
    const sending = httpsRequest(address, options, async (answer) => {
      const chunks: Buffer[] = [];
      for await (const chunk of answer) chunks.push(chunk);
      const status = answer.statusCode ?? 0;
      const headers = Object.entries(answer.headers).map(([name, value]): [string, string] => [
        name,
        String(value),
      ]);
      resolve(new Response(status === 204 ? null : Buffer.concat(chunks), { status, headers }));
    });
    sending.once("error", reject).end(content);
  });
}
