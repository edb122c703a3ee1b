/** Contract of every Sandbox (docs/adr/0030-the-sandbox.md): the same program, and a trap that harms nothing. */
import { FACT_BYTES, FACTS, INPUT } from "../../device/sandbox/validator/layout.js";
import type { Sandbox, SandboxProgram } from "../../protocol/ports/sandbox.js";
import { bytesOf, type ContractCase, equal, throws } from "./assert.js";

const EMPTY_MODULE = bytesOf("0061736d01000000");
const NO_ENTRY = -1;
/** More than any program's memory: what is read past it traps. */
const FAR_PAST_MEMORY = 0x3000_0000;

function withValidator(sandbox: Sandbox, use: (program: SandboxProgram) => void): void {
  const program = sandbox.open("validator");
  try {
    use(program);
  } finally {
    program.close();
  }
}

/** @returns the length of the module that the program has found valid */
function validate(program: SandboxProgram, module: Uint8Array): number {
  program.begin(1, NO_ENTRY);
  program.memory.set(module, program.room());
  program.feed(module.length);
  equal(program.finish(), 0, "finish");
  const { buffer, byteOffset } = program.memory;
  return new DataView(buffer, byteOffset).getInt32(FACTS + FACT_BYTES, true);
}

export const SANDBOX_CONTRACT: readonly ContractCase<Sandbox>[] = [
  {
    name: "runs a program on its memory",
    run: (sandbox) =>
      withValidator(sandbox, (program) => equal(validate(program, EMPTY_MODULE), EMPTY_MODULE.length)),
  },
  {
    name: "gives a program's variables their first values",
    run: (sandbox) => withValidator(sandbox, (program) => equal(program.room(), INPUT, "room")),
  },
  {
    name: "throws an Error when the program reads past its memory, and runs its next task",
    run: (sandbox) =>
      withValidator(sandbox, (program) => {
        program.begin(1, NO_ENTRY);
        program.memory.set(EMPTY_MODULE, program.room());
        throws(() => program.feed(FAR_PAST_MEMORY), "feed");
        equal(validate(program, EMPTY_MODULE), EMPTY_MODULE.length, "the next module");
      }),
  },
  {
    name: "throws an Error when the program rejects its input, and runs its next task",
    run: (sandbox) =>
      withValidator(sandbox, (program) => {
        throws(() => validate(program, bytesOf("0061736d02000000")), "a module of another version");
        equal(validate(program, EMPTY_MODULE), EMPTY_MODULE.length, "the next module");
      }),
  },
  {
    name: "keeps the memories of two programs apart",
    run: (sandbox) =>
      withValidator(sandbox, (one) =>
        withValidator(sandbox, (other) => {
          one.begin(1, NO_ENTRY);
          one.memory.set(EMPTY_MODULE, one.room());
          equal(validate(other, EMPTY_MODULE), EMPTY_MODULE.length, "the other one");
          one.feed(EMPTY_MODULE.length);
          equal(one.finish(), 0, "the first one");
        }),
      ),
  },
  {
    name: "gives a closed program no memory, and throws when it is called; it can be closed twice",
    run: (sandbox) => {
      const program = sandbox.open("validator");
      program.close();
      program.close();
      equal(program.memory.length, 0, "memory");
      throws(() => program.room(), "room");
      throws(() => program.feed(0), "feed");
    },
  },
  {
    name: "throws for a program that does not exist",
    run: (sandbox) => void throws(() => sandbox.open("missing" as never), "open"),
  },
];
