/**
 * `svc`, the command line of consoles (docs/spec/cli.md#exit-codes). Exit status: 0 done, 1 refused or failed,
 * 2 wrong usage; 130 after Ctrl-C.
 */
import { runCommandLine } from "./command-line.js";

process.exitCode = await runCommandLine(process.argv.slice(2));
