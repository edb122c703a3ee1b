/** Uploads a file to a console: shows the progress, and how to find out what arrived if the user cancels. */
import path from "node:path";
import type { Call } from "../command.js";

/**
 * @param options.file path
 * @param options.tells command that shows the console's state
 */
export async function sendFile<Answer>(
  { output, signal }: Call,
  {
    file,
    totalBytes,
    tells,
    send,
  }: {
    readonly file: string;
    readonly totalBytes: number;
    readonly tells: string;
    readonly send: (onProgress: (sentBytes: number) => void) => Promise<Answer>;
  },
): Promise<Answer> {
  const name = path.basename(file);
  const progress = await output.progress(name, totalBytes);
  let isAllSent = false;
  try {
    const answer = await send((sentBytes) => {
      isAllSent = sentBytes === totalBytes;
      progress.update(sentBytes);
    });
    progress.finish();
    return answer;
  } catch (error) {
    progress.stop();
    // Cancelling cuts off what was in transit, but how much that was is unknown.
    if (signal.aborted && isAllSent)
      output.warn(`All of ${name} was sent already; check with \`${tells}\` whether the console accepted it`);
    throw error;
  }
}
