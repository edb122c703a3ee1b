/** `svc questions` and `svc answer`: what the hub of a console has ordered and its user decides. */
import type { HubQuestion } from "../../protocol/device/answers.js";
import type { Command } from "../command.js";
import { bytesText, textTable } from "../terminal/format.js";

export const questions: Command = Object.freeze<Command>({
  name: "questions",
  summary: "List what the hub of a console has ordered, and waits for an answer.",
  parameters: [],
  options: [],
  isForConsole: true,
  notes: ["Size and publisher are what the hub says; the console checks the file itself."],
  async run({ device }) {
    const answer = await (await device()).hubQuestions();
    return { text: textOf(answer.questions), json: answer };
  },
});

export const answer: Command = Object.freeze<Command>({
  name: "answer",
  summary: "Accept or decline what the hub of a console has ordered.",
  parameters: [
    { name: "ID", summary: "id, as `svc questions` lists it" },
    { name: "ANSWER", summary: "accept or decline", choices: ["accept", "decline"] },
  ],
  options: [],
  isForConsole: true,
  notes: ["Works over USB, or with the bearer token (--token)."],
  async run({ device, values: { ID: id = "", ANSWER: given = "" } }) {
    const isAccepted = given === "accept";
    const left = await (await device()).answerHub(id, isAccepted);
    return { text: `${isAccepted ? "accepted" : "declined"} ${id}`, json: left };
  },
});

function textOf(waiting: readonly HubQuestion[]): string {
  return waiting.length === 0 ? "nothing waits for an answer" : textTable(waiting.map(rowOf));
}

function rowOf({ id, kind, name, version, size_bytes, publisher }: HubQuestion): string[] {
  const what = [kind, name, version].filter((word) => word !== undefined).join(" ");
  return [id, what, size_bytes === undefined ? "" : bytesText(size_bytes), publisher ?? ""];
}
