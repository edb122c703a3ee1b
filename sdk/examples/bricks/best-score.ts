/** The best score so far, in the app's storage: four bytes that outlive the app and the console's power. */
import { LogLevel, log, storageRead, storageWrite } from "svc";

const KEY = "best";
const bytes = new Uint8Array(4);

/** 0 where there is none yet. */
export function loadBestScore(): i32 {
  const length = storageRead(KEY, 0, bytes);
  return length === bytes.length ? load<i32>(bytes.dataStart) : 0;
}

export function storeBestScore(score: i32): void {
  store<i32>(bytes.dataStart, score);
  const result = storageWrite(KEY, bytes);
  if (result < 0) log(LogLevel.WARNING, `cannot store the best score: ${result}`);
}
