/** Reads the body of a response, and reports its progress. */

export async function readBody(
  response: Response,
  onProgress: (receivedBytes: number) => void = () => {},
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let receivedBytes = 0;
  const reader = response.body?.getReader();
  for (let part = await reader?.read(); part?.value; part = await reader?.read()) {
    chunks.push(part.value);
    receivedBytes += part.value.length;
    onProgress(receivedBytes);
  }
  return joined(chunks, receivedBytes);
}

function joined(chunks: readonly Uint8Array[], byteLength: number): Uint8Array {
  const bytes = new Uint8Array(byteLength);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
