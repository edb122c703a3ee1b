/** Of the arguments of `npm run moddable`, what would be ignored is refused. */
import { describe, expect, test } from "vitest";
import { checkCombination } from "../../../../boards/moddable/combinations.js";

interface Row {
  readonly target?: "sim" | "esp32s3";
  readonly out?: string;
  readonly config?: readonly string[];
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
  for (const { target = "sim", out, hubCa, config = [], isToDeploy = false, flags = [], problem } of ROWS) {
    const options = [...(out ? ["--out", out] : []), ...config.flatMap((option) => ["--config", option])];
    const words = [target, ...options, ...(isToDeploy ? ["--deploy"] : [])];
    test(`${problem ? "rejects" : "accepts"} "${[...words, ...(flags.length > 0 ? ["--", ...flags] : [])].join(" ")}"`, () => {
      const check = () => checkCombination({ target, out, hubCa, config, isToDeploy, flags });
      if (problem === undefined) expect(check).not.toThrow();
      else expect(check).toThrow(expect.objectContaining({ message: problem }));
    });
  }
});
