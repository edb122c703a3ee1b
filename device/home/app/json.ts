/**
 * Reads JSON (RFC 8259) as it arrives, in one pass and without a tree. The caller walks through the members that it
 * wants; those that it does not read are skipped. A value of another type than the caller reads is skipped, too, and
 * leaves the caller's default. Text that is no JSON ends the walk: `isComplete` tells.
 *
 *     if (json.enterObject()) while (json.nextMember()) if (json.isNamed("version")) json.readText(version);
 */
import { readByte } from "./request";
import { Text } from "./text";

/** Objects and arrays that the caller can be within; deeper ones are skipped. */
const DEPTH_LIMIT = 6;
/** Brackets within a value that is skipped (docs/spec/conventions.md#json-depth). */
const SKIPPED_DEPTH_LIMIT = 32;
/** The longest name that is of interest has 20 bytes. */
const NAME_BYTES = 24;
const LARGEST_INTEGER: i64 = 9007199254740991;

const SPACE = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const END = -1;

class JsonReader {
  private next: i32 = END;
  private depth: i32 = 0;
  /** A bit for each level that has had a member. */
  private begun: u32 = 0;
  /** Whether a value comes next that is not read yet. */
  private isPending: bool = false;
  private isBroken: bool = false;
  private readonly name: Text = new Text(NAME_BYTES);
  private readonly ignored: Text = new Text(0);

  /** Begins with the answer that has just come. Nothing of it is read yet: it may be no JSON but a picture. */
  begin(): void {
    this.depth = 0;
    this.begun = 0;
    this.isPending = true;
    this.isBroken = false;
    this.next = SPACE;
  }

  /** Whether the text was JSON up to its end, as far as it was walked through. */
  isComplete(): bool {
    if (this.isPending) this.skip();
    return !this.isBroken && this.depth === 0;
  }

  /** False for any other value, which is skipped. */
  enterObject(): bool {
    return this.enter(OPEN_OBJECT);
  }

  enterArray(): bool {
    return this.enter(OPEN_ARRAY);
  }

  /** Goes to the next member; false at the end of the object, which is left then. */
  nextMember(): bool {
    if (!this.goOn(CLOSE_OBJECT)) return false;
    if (this.next !== QUOTE) return this.fail();
    this.readCharacters(this.name.clear());
    this.skipSpace();
    if (this.next !== COLON) return this.fail();
    this.next = readByte();
    this.isPending = true;
    return true;
  }

  /** Goes to the next element; false at the end of the array, which is left then. */
  nextElement(): bool {
    if (!this.goOn(CLOSE_ARRAY)) return false;
    this.isPending = true;
    return true;
  }

  isNamed(name: string): bool {
    return this.name.is(name);
  }

  /** As much of a string as there is room for; other values leave `into` as it is. */
  readText(into: Text): bool {
    if (!this.startValue() || this.next !== QUOTE) {
      this.skip();
      return false;
    }
    this.isPending = false;
    this.readCharacters(into.clear());
    return true;
  }

  /** The whole part of a number; `other` for other values. */
  readInteger(other: i64 = 0): i64 {
    const isNumber = this.startValue() && (this.next === 0x2d || isDigit(this.next));
    if (!isNumber) {
      this.skip();
      return other;
    }
    const isNegative = this.next === 0x2d;
    if (isNegative) this.next = readByte();
    let value: i64 = 0;
    while (isDigit(this.next)) {
      value = min(value * 10 + (this.next - 0x30), LARGEST_INTEGER);
      this.next = readByte();
    }
    this.isPending = false;
    this.skipLiteral(); // a fraction and an exponent
    return isNegative ? -value : value;
  }

  /** True for `true` alone. */
  readFlag(): bool {
    const isTrue = this.startValue() && this.next === 0x74;
    this.skip();
    return isTrue;
  }

  /** The next value, whatever it is. */
  skip(): void {
    this.isPending = false;
    if (this.isBroken) return;
    this.skipSpace();
    if (this.next === QUOTE) this.readCharacters(this.ignored);
    else if (this.next === OPEN_OBJECT || this.next === OPEN_ARRAY) this.skipBrackets();
    else if (!this.skipLiteral()) this.fail();
  }

  private startValue(): bool {
    if (!this.isPending || this.isBroken) return false;
    this.skipSpace();
    return true;
  }

  private enter(bracket: i32): bool {
    if (!this.startValue() || this.next !== bracket || this.depth === DEPTH_LIMIT) {
      if (this.isPending) this.skip();
      return false;
    }
    this.isPending = false;
    this.next = readByte();
    this.depth++;
    this.begun &= ~(1 << this.depth);
    return true;
  }

  /** Goes over the comma, or over the bracket at the end. */
  private goOn(close: i32): bool {
    if (this.isPending) this.skip();
    if (this.isBroken || this.depth === 0) return false;
    this.skipSpace();
    if (this.next === close) {
      this.depth--;
      this.next = readByte();
      return false;
    }
    const level: u32 = 1 << this.depth;
    if (this.begun & level) {
      if (this.next !== COMMA) return this.fail();
      this.next = readByte();
      this.skipSpace();
    }
    this.begun |= level;
    return true;
  }

  private fail(): bool {
    this.isBroken = true;
    this.isPending = false;
    return false;
  }

  private skipSpace(): void {
    while (this.next === SPACE || this.next === 0x0a || this.next === 0x0d || this.next === 0x09)
      this.next = readByte();
  }

  /** Numbers, `true`, `false`, `null`. */
  private skipLiteral(): bool {
    let isAny = false;
    while (isLiteral(this.next)) {
      isAny = true;
      this.next = readByte();
    }
    return isAny;
  }

  private skipBrackets(): void {
    let depth = 0;
    do {
      if (this.next === OPEN_OBJECT || this.next === OPEN_ARRAY) depth++;
      else if (this.next === CLOSE_OBJECT || this.next === CLOSE_ARRAY) depth--;
      if (this.next === END || depth > SKIPPED_DEPTH_LIMIT) {
        this.fail();
        return;
      }
      if (this.next === QUOTE) this.readCharacters(this.ignored);
      else this.next = readByte();
    } while (depth > 0 && !this.isBroken);
  }

  /** From the quote before the string to the byte after it. */
  private readCharacters(into: Text): void {
    let byte = readByte();
    while (byte !== QUOTE) {
      if (byte < 0x20) {
        this.fail(); // a control character, or the end
        return;
      }
      if (byte === BACKSLASH) this.readEscape(into);
      else into.putByte(byte);
      if (this.isBroken) return;
      byte = readByte();
    }
    this.next = readByte();
  }

  private readEscape(into: Text): void {
    const byte = readByte();
    if (byte === 0x75) into.putCharacter(this.readCodePoint());
    else if (byte === 0x6e) into.putByte(0x0a);
    else if (byte === 0x74) into.putByte(0x09);
    else if (byte === 0x72) into.putByte(0x0d);
    else if (byte === 0x62) into.putByte(0x08);
    else if (byte === 0x66) into.putByte(0x0c);
    else if (byte === QUOTE || byte === BACKSLASH || byte === 0x2f) into.putByte(byte);
    else this.fail();
  }

  /** The digits of `\uXXXX`, of both halves of a surrogate pair; half a pair becomes U+FFFD. */
  private readCodePoint(): i32 {
    const unit = this.readUnit();
    if (unit < 0xd800 || unit > 0xdfff) return unit;
    if (unit > 0xdbff || readByte() !== BACKSLASH || readByte() !== 0x75) {
      if (unit <= 0xdbff) this.fail();
      return 0xfffd;
    }
    const low = this.readUnit();
    return low < 0xdc00 || low > 0xdfff ? 0xfffd : 0x10000 + ((unit & 0x3ff) << 10) + (low & 0x3ff);
  }

  private readUnit(): i32 {
    let unit = 0;
    for (let i = 0; i < 4; i++) {
      const digit = hexValue(readByte());
      if (digit < 0) {
        this.fail();
        return 0xfffd;
      }
      unit = (unit << 4) | digit;
    }
    return unit;
  }
}

function isDigit(byte: i32): bool {
  return byte >= 0x30 && byte <= 0x39;
}

/** A character of a number or word. */
function isLiteral(byte: i32): bool {
  const letter = byte | 0x20;
  if (byte < 0) return false;
  return (
    isDigit(byte) || (letter >= 0x61 && letter <= 0x7a) || byte === 0x2d || byte === 0x2b || byte === 0x2e
  );
}

function hexValue(byte: i32): i32 {
  if (isDigit(byte)) return byte - 0x30;
  const letter = byte | 0x20;
  return byte > 0 && letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

export const json = new JsonReader();
