/** What a process does with connections that differ from the rows of their devices. */
import { expect, test } from "vitest";
import { Reconciler } from "../../../../hub/push/reconciler.js";
import { silentLogger } from "../../../hub/hosts/silent-logger.js";

const ROW = {
  id: "d",
  connection: 5,
  process_id: "here" as string | null,
  claim_code: null,
  rotation_id: null,
};

/** @param onRead called before the rows are returned */
async function compare(
  row: Partial<typeof ROW>,
  number: number,
  onRead: (sockets: Map<string, unknown>) => void = () => {},
): Promise<readonly string[]> {
  const done: string[] = [];
  const socketOf = (connection: number) => ({
    connection,
    close: (code: number) => done.push(`close ${code}`),
    sendClaimed: () => done.push("claimed"),
    requestRotation: () => {},
  });
  const sockets = new Map<string, unknown>([["d", socketOf(number)]]);
  const reconciler = new Reconciler({
    logger: silentLogger,
    processId: "here",
    sockets,
    presence: {
      connectionRows: async () => {
        onRead(sockets);
        return [{ ...ROW, ...row }];
      },
      restoreNumber: async (_id: string, connection: number) => void done.push(`restore ${connection}`),
      reclaim: async () => void done.push("reclaim"),
    },
  } as unknown as ConstructorParameters<typeof Reconciler>[0]);
  reconciler.check("d");
  await reconciler.close();
  return done;
}

const CASES = [
  { name: "the connection of the row stays", row: {}, number: 5, does: ["claimed"] },
  { name: "an older connection is replaced", row: {}, number: 4, does: ["close 4000"] },
  {
    name: "a connection whose number was lost is closed",
    row: {},
    number: 6,
    does: ["restore 6", "close 1013"],
  },
  {
    name: "a connection whose number was given to another process is closed",
    row: { process_id: "elsewhere" },
    number: 5,
    does: ["restore 5", "close 1013"],
  },
  {
    name: "the connection of a process that was removed is this process's again",
    row: { process_id: null },
    number: 5,
    does: ["claimed", "reclaim"],
  },
];
for (const { name, row, number, does } of CASES)
  test(name, async () => expect(await compare(row, number)).toEqual(does));

test("a connection that has opened since the row was read is not compared with it", async () => {
  const newer = (sockets: Map<string, unknown>) => sockets.set("d", { connection: 6 });
  expect(await compare({}, 5, newer)).toEqual([]);
});
