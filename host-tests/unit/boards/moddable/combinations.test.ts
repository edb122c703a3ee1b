/** Of the arguments of `npm run moddable`, what would be ignored is refused. */
import { describe, expect, test } from "vitest";
import { checkCombination } from "../../../../boards/moddable/combinations.js";
import type { Target } from "../../../../boards/moddable/sdk.js";

interface Row {
  readonly target?: Target;
  readonly out?: string;
  readonly config?: readonly string[];
  readonly ethernet?: string;
  readonly isToMerge?: boolean;
  readonly hubCa?: string;
  readonly isToDeploy?: boolean;
  readonly flags?: readonly string[];
  readonly problem?: string;
}

const ROWS: readonly Row[] = [
  {},
  { out: "new.img" },
  { isToDeploy: true },
  { target: "esp32s3", isToDeploy: true },
  { target: "esp32s3", config: ["CONFIG_SVC_HTTP_AUTH=on"] },
  { target: "esp32", isToDeploy: true },
  { target: "esp32", ethernet: "lan8720" },
  { target: "esp32", ethernet: "openeth" },
  { target: "esp32s3", ethernet: "w5500" },
  { target: "esp32s3", isToMerge: true, isToDeploy: true },
  {
    isToMerge: true,
    problem:
      "--image is for boards: the simulator has no flash to program, and takes what is built without it",
  },
  { isToDeploy: true, flags: ["--state", "a b", "--config", "NAME='x'"] },
  { isToDeploy: true, flags: ["--state"] },
  {
    target: "esp32s3",
    out: "new.img",
    problem: "--out is for sim: a board's image stays where ESP-IDF makes it, which is printed",
  },
  {
    target: "esp32s3",
    isToDeploy: true,
    flags: ["--http-port=0"],
    problem: 'A board has no command line: what is "--http-port=0" for?',
  },
  {
    target: "esp32",
    out: "new.img",
    problem: "--out is for sim: a board's image stays where ESP-IDF makes it, which is printed",
  },
  { target: "esp32", flags: ["--help"], problem: 'A board has no command line: what is "--help" for?' },
  {
    ethernet: "lan8720",
    problem: "--ethernet is for boards: the console in the simulator is in the desktop's network",
  },
  {
    target: "esp32s3",
    ethernet: "lan8720",
    problem: '--ethernet for esp32s3 takes w5500, not "lan8720"',
  },
  {
    target: "esp32",
    ethernet: "toString",
    problem: '--ethernet for esp32 takes lan8720, ip101, rtl8201, dp83848, ksz80xx, openeth, not "toString"',
  },
  {
    config: ["CONFIG_SVC_HTTP_AUTH=on"],
    problem: "--config is for boards: the console in the simulator takes it after --deploy --",
  },
  { target: "esp32s3", hubCa: "ca.pem" },
  {
    hubCa: "ca.pem",
    problem: "--hub-ca is for boards: the console in the simulator takes it after --deploy --",
  },
  { flags: ["--help"], problem: 'The console is only started by --deploy: what is "--help" for?' },
  { isToDeploy: true, flags: ["--image=x"], problem: "unrecognized option '--image=x'" },
  { isToDeploy: true, flags: ["--check"], problem: "unrecognized option '--check'" },
  { isToDeploy: true, flags: ["--state="], problem: '"" is not a directory' },
  {
    isToDeploy: true,
    flags: ["--state", "/tmp/a'b"],
    problem: `Cannot keep state in "/tmp/a'b": the simulator loads nothing from a path with a "'"`,
  },
];

describe("npm run moddable", () => {
  for (const row of ROWS) {
    const { target = "sim", out, config = [], ethernet, hubCa, flags = [], problem } = row;
    const { isToMerge = false, isToDeploy = false } = row;
    const options = [
      ...(out ? ["--out", out] : []),
      ...config.flatMap((option) => ["--config", option]),
      ...(ethernet ? ["--ethernet", ethernet] : []),
      ...(hubCa ? ["--hub-ca", hubCa] : []),
    ];
    const words = [
      target,
      ...options,
      ...(isToMerge ? ["--image"] : []),
      ...(isToDeploy ? ["--deploy"] : []),
    ];
    test(`${problem ? "rejects" : "accepts"} "${[...words, ...(flags.length > 0 ? ["--", ...flags] : [])].join(" ")}"`, () => {
      const check = () =>
        checkCombination({ target, out, config, ethernet, hubCa, isToMerge, isToDeploy, flags });
      if (problem === undefined) expect(check()).toBe(ethernet);
      else expect(check).toThrow(expect.objectContaining({ message: problem }));
    });
  }
});
