/** `npm run test:faults`: random console lives with power cuts, until the time is up. */
import fc from "fast-check";
import { afterAll, test } from "vitest";
import { liveThrough, randomLife } from "./random-lives.js";

const MINUTES = Number(process.env["SVC_FAULTS_MINUTES"]);
const SEED = Number(process.env["SVC_FAULTS_SEED"]);
const PATH = process.env["SVC_FAULTS_PATH"];

let lives = 0;
let cuts = 0;

afterAll(() => console.log(`${cuts} power cuts tried in ${lives} lives, seed ${SEED}`));

test("After any power cut in a console's life, it runs firmware that is confirmed or on trial", async () => {
  const property = fc.asyncProperty(randomLife, async (life) => {
    cuts += await liveThrough(life);
    lives++;
  });
  await fc.assert(property, {
    seed: SEED,
    ...(PATH && { path: PATH, endOnFailure: true }),
    numRuns: Number.MAX_SAFE_INTEGER,
    interruptAfterTimeLimit: MINUTES * 60_000,
  });
});
