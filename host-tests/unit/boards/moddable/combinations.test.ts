/** Of the arguments of `npm run moddable`, what would be ignored is refused. */
import { describe, expect, test } from "vitest";
import { checkCombination } from "../../../../boards/moddable/combinations.js";
import type { Target } from "../../../../boards/moddable/sdk.js";

interface Row {
  readonly target?: Target;
  readonly out?: string;
  readonly config?: readonly string[];
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
  { target: "esp32s3", config: ["CONFIG_SVC_HTTP_AUTH=on"] },
  { target: "esp32s3", hubCa: "ca.pem" },
  { target: "esp32s3", isToMerge: true },
  {
    target: "esp32s3",
    isToDeploy: true,
    problem: "--deploy is for sim: --image makes a file that tools for ESP-IDF write to flash",
  },
  {
    isToMerge: true,
    problem: "--image is for esp32s3: the simulator has no flash, and takes what is built without it",
  },
  { isToDeploy: true, flags: ["--state", "a b", "--config", "NAME='x'"] },
  { isToDeploy: true, flags: ["--state"] },
  {
    target: "esp32s3",
    out: "new.img",
    problem: "--out is for sim: a chip's image stays where ESP-IDF makes it, which is printed",
  },
  { target: "esp32s3", flags: ["--help"], problem: 'A chip has no command line: what is "--help" for?' },
  {
    config: ["CONFIG_SVC_HTTP_AUTH=on"],
    problem: "--config is for esp32s3: the console in the simulator takes it after --deploy --",
  },
  {
    hubCa: "ca.pem",
    problem: "--hub-ca is for esp32s3: the console in the simulator takes it after --deploy --",
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
    const { target = "sim", out, config = [], hubCa, flags = [], problem } = row;
    const { isToMerge = false, isToDeploy = false } = row;
    const options = [
      ...(out ? ["--out", out] : []),
      ...config.flatMap((option) => ["--config", option]),
      ...(hubCa ? ["--hub-ca", hubCa] : []),
    ];
    const words = [
      target,
      ...options,
      ...(isToMerge ? ["--image"] : []),
      ...(isToDeploy ? ["--deploy"] : []),
    ];
    test(`${problem ? "rejects" : "accepts"} "${[...words, ...(flags.length > 0 ? ["--", ...flags] : [])].join(" ")}"`, () => {
      const check = () => checkCombination({ target, out, config, hubCa, isToMerge, isToDeploy, flags });
      if (problem === undefined) expect(check).not.toThrow();
      else expect(check).toThrow(expect.objectContaining({ message: problem }));
    });
  }
});
