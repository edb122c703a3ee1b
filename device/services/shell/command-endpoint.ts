/** `GET` and `POST /api/cmd`: the first for commands that only read (docs/spec/shell.md#reading). */
import { Fault } from "../../../protocol/fault.js";
import type { Call, Services } from "../api/endpoint.js";
import type { JsonAnswer } from "../api/request.js";

/** @throws {Fault} `shell_disabled`, `needs_post` */
export async function runCommand(
  { config, restart, shell }: Services,
  { parameters, request }: Call,
): Promise<JsonAnswer> {
  if (!config.CONFIG_SVC_SHELL_WEB_CMD_ENABLE)
    throw new Fault("shell_disabled", "This build does not run shell commands from afar");
  const { output, error } = await shell.run(parameters.text("c") ?? "", request);
  const answer = { status: 200, body: { output, ...(error && { error }) } };
  return restart.isRequested ? restart.after(answer) : answer;
}
