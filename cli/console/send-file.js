/** Uploads a file to a console: shows the progress, and how to find out what arrived if the user cancels. */
import path from "node:path";

/**
 * @template Answer
 * @param {import("../command.js").Call} call
 * @param {object} options
 * @param {string} options.file its path
 * @param {number} options.totalBytes
 * @param {string} options.tells the command that says what the console has
 * @param {(onProgress: (sentBytes: number) => void) => Promise<Answer>} options.send
 * @returns {Promise<Answer>}
 */
export async function sendFile({ output, signal }, { file, totalBytes, tells, send }) {
  const name = path.basename(file);
  const progress = output.progress(name, totalBytes);
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
      output.warn(`All of ${name} had been sent: \`${tells}\` says whether the console has taken it`);
    throw error;
  }
}
