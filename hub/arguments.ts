/** The command line of the hub's program, which has no settings: those are in the environment (docs/hub.md). */
import { parseArgs } from "node:util";

const USAGE = `usage: npm run hub
Runs the hub. Its settings are in the environment, as SVC_HUB_PORT: docs/hub.md lists them.
`;

/** Ends the process after --help (status 0), and for any other argument (status 2): no hub is started that was not asked for. */
export function checkArguments(): void {
  try {
    const { values } = parseArgs({ options: { help: { type: "boolean", short: "h" } } });
    if (!values.help) return;
    process.stdout.write(USAGE);
    process.exit(0);
  } catch (error) {
    process.stderr.write(`hub: ${(error as Error).message}\n${USAGE}`);
    process.exit(2);
  }
}
