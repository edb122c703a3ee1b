/** A scene over HTTP: one connection, closed by the console where an answer says so, else by us. */
import { attach } from "./attachments.js";
import { closes, type HttpAnswer, isInterim, maskedAnswer, readAnswer } from "./http-answer.js";
import { RawConnection } from "./raw-connection.js";
import type { Attachments, HttpStep } from "./scene.js";
import type { Transcript } from "./transcript.js";

export async function playHttp(
  address: string,
  steps: readonly HttpStep[],
  attachments: Attachments,
  transcript: Transcript,
): Promise<void> {
  const connection = await RawConnection.open(address);
  try {
    for (const step of steps) {
      const answers = await take(connection, step, attachments);
      transcript.sent(step.send);
      for (const answer of answers) transcript.received(maskedAnswer(answer));
      if (answers.some(closes)) await recordEnd(connection, transcript);
    }
  } finally {
    connection.close();
  }
}

async function take(
  connection: RawConnection,
  step: HttpStep,
  attachments: Attachments,
): Promise<readonly HttpAnswer[]> {
  for (;;) {
    connection.send(attach(step.send, attachments));
    const answers = await answersTo(connection, step);
    if (step.until === undefined || answers.some(({ body }) => step.until?.test(String(body))))
      return answers;
  }
}

async function answersTo(connection: RawConnection, { send, methods }: HttpStep) {
  const answers: HttpAnswer[] = [];
  for (const method of methods ?? [/^\S*/.exec(send)?.[0] ?? ""]) {
    let answer: HttpAnswer;
    do {
      answer = await readAnswer(connection.arrived, method);
      answers.push(answer);
    } while (isInterim(answer));
  }
  return answers;
}

async function recordEnd(connection: RawConnection, transcript: Transcript): Promise<void> {
  const rest = await connection.arrived.rest();
  if (rest.length > 0) transcript.received(String(rest));
  transcript.happened("the console closes the connection");
}
