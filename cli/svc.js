#!/usr/bin/env node
/** Starts `svc`, which is main.ts. The package names this file as its command. */
import { launch } from "../tools/launch.js";

await launch("cli/main.ts", process.argv.slice(2));
