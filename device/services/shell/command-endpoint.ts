/** `GET /api/cmd`. */
import { Fault } from "../../../protocol/fault.js";
import type { Call, Services } from "../api/endpoint.js";
import type { JsonAnswer } from "../api/request.js";

/** @throws {Fault} `shell_disabled` */
export async function runCommand(
  { config, restart, shell }: Services,
  { parameters, request }: Call,
): Promise<JsonAnswer> {
  if (!config.CONFIG_SVC_SHELL_WEB_CMD_ENABLE)
    throw new Fault("shell_disabled", "This build does not run shell commands from afar");
  const output = await shell.run(parameters.text("c") ?? "", request.transport);
  const answer = { status: 200, body: { output } };
  return restart.isRequested ? restart.after(answer) : answer;
}
