/** Does something at a moment between two steps of code under test. */
export async function inMicrotasks(count: number, work: () => void): Promise<void> {
  for (let done = 0; done < count; done++) await undefined;
  work();
}
