/** The parts of a console's command line that its launcher has to know before the start. */

/** Flags that are between a console and what starts it. */
const OURS = ["--image", "--check", "--die-with-parent"];

/** @param {string} flag `--name`, or `--name=value` */
const nameOf = (flag) => flag.split("=", 1)[0] ?? "";

/**
 * The value of a flag as getopt_long takes it: `--flag value` or `--flag=value`, the last one counts.
 *
 * @param {readonly string[]} flags
 * @param {string} name
 * @returns {string | undefined}
 */
export function flagValue(flags, name) {
  const index = flags.map(nameOf).lastIndexOf(name);
  const flag = flags[index];
  return flag === name ? flags[index + 1] : flag?.slice(name.length + 1);
}

/** The first one that is not for people. @param {readonly string[]} flags @returns {string | undefined} */
export function findOurs(flags) {
  return flags.find((flag) => OURS.includes(nameOf(flag)));
}
