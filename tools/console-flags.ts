/** The parts of a console's command line that its launcher reads before the start. */

/** Flags that only the launcher passes to a console. */
const OURS = ["--image", "--check", "--die-with-parent", "--window-program"];

/** @param flag `--name`, or `--name=value` */
const nameOf = (flag: string) => flag.split("=", 1)[0] ?? "";

/** The value of a flag as getopt_long reads it: `--flag value` or `--flag=value`; the last one counts. */
export function flagValue(flags: readonly string[], name: string): string | undefined {
  const index = flags.map(nameOf).lastIndexOf(name);
  const flag = flags[index];
  return flag === name ? flags[index + 1] : flag?.slice(name.length + 1);
}

/** The first flag that users may not pass. */
export function findOurs(flags: readonly string[]): string | undefined {
  return flags.find((flag) => OURS.includes(nameOf(flag)));
}
