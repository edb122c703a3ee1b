/** Bytes to pack: of every kind that deflate treats differently, the same in each run. */

/** Numbers from 0 up to `limit`, from a xorshift generator. */
export function randomNumbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % limit;
  };
}

export function randomBytes(byteLength: number, seed = 1): Uint8Array {
  const random = randomNumbers(seed);
  return Uint8Array.from({ length: byteLength }, () => random(256));
}

/** Text of words that are rare and common, near and far: codes of many lengths, matches at all distances. */
export function words(byteLength: number, seed = 1): Uint8Array {
  const random = randomNumbers(seed);
  const word = () => String.fromCharCode(...Array.from({ length: 2 + random(9) }, () => 97 + random(26)));
  const known = Array.from({ length: 3000 }, word);
  let text = "";
  while (text.length < byteLength) text += `${known[random(1 + random(known.length))]} `;
  return new TextEncoder().encode(text.slice(0, byteLength));
}

/** Something of all kinds in turn: noise, words, runs, records with a period. */
export function mixture(byteLength: number, seed = 1): Uint8Array {
  const random = randomNumbers(seed);
  const bytes = new Uint8Array(byteLength);
  for (let at = 0; at < byteLength; ) {
    const part = partOf(random, 1 + random(9000)).subarray(0, byteLength - at);
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

function partOf(random: (limit: number) => number, byteLength: number): Uint8Array {
  const seed = 1 + random(1_000_000);
  switch (random(4)) {
    case 0:
      return randomBytes(byteLength, seed);
    case 1:
      return words(byteLength, seed);
    case 2:
      return new Uint8Array(byteLength).fill(random(256));
    default: {
      const period = randomBytes(1 + random(300), seed);
      return Uint8Array.from({ length: byteLength }, (_, at) => period[at % period.length] as number);
    }
  }
}
