/** Traces the lines of host-tests/contracts/values.ts as XS has them. */
import { valueLines } from "../../contracts/values.js";

export default function main(): void {
  for (const line of valueLines()) trace(`${line}\n`);
  trace("done\n");
}
