/** Traces a line for each seed below `SEEDS`: what exceptions did in XS (host-tests/contracts/exceptions.ts). */
import { exceptionTrace } from "../../contracts/exceptions.js";

export const SEEDS = 200;

export default async function main(): Promise<void> {
  for (let seed = 0; seed < SEEDS; seed++) trace(`${await exceptionTrace(seed)}\n`);
  trace("done\n");
}
