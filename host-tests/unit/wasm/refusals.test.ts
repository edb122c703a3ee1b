/**
 * The words and the byte of a refusal, which no judge from outside tells: for each reason that `module-validator.test.ts` does
 * not show, the shortest module that was found for it, without its preamble.
 */
import { describe, expect, test } from "vitest";
import { PREAMBLE } from "./module-builder.js";
import { faultOf, validate } from "./preparation.js";

const REFUSALS: readonly (readonly [hex: string, message: string])[] = [
  ["020d01000004", 'Unsupported module at byte 13: "" is a tag (exception handling)'],
  ["04030100", "Invalid module at byte 11: 0x0 is not a type of elements"],
  ["01040203", "Invalid module at byte 11: 0x3 is not a form of a type"],
  ["0604014d", "Invalid module at byte 11: 0x4d is not a value type"],
  ["07050100058100", "Invalid module at byte 12: 0x5 is nothing to export"],
  ["020401000005", "Invalid module at byte 13: 0x5 is nothing to import"],
  ["05020108", "Invalid module at byte 11: 0x8 is not a kind of limits"],
  ["0604017f000b", "Invalid module at byte 13: 0xb is not a constant instruction"],
  [
    "0105016000017f0302010005030100000a08010600fc2802000b002e046e616d65012201001f",
    "Invalid module at byte 29: 0xfc 0x28 is not an instruction",
  ],
  ["0b050110", "Invalid module at byte 11: 16 is not a kind of data segment"],
  ["09050160", "Invalid module at byte 11: 96 is not a kind of element segment"],
  [
    "0104016000000302010005030100010a11010f01017f410002828080808080808080400b",
    "Invalid module at byte 33: a block type is longer than 33 bits",
  ],
  [
    "0105016000017f030201000a11010f00027f02e74000",
    "Unsupported module at byte 27: a block type is padded (long block type)",
  ],
  [
    "01090260027f7f00600000030201010404017000000a0c010a0041010141001100dc00",
    "Unsupported module at byte 39: a call goes through table 92 (reference types)",
  ],
  [
    "0606017f002300",
    "Unsupported module at byte 13: a constant expression computes (extended constant expressions)",
  ],
  [
    "0608017f00410041000b",
    "Unsupported module at byte 15: a constant expression has a second instruction (extended constant expressions)",
  ],
  ["0607017e004180000b", "Invalid module at byte 13: a constant expression has type i32, not i64"],
  [
    "060a017f0041ffffffff7ffb",
    "Unsupported module at byte 19: a constant is a reference (garbage collection)",
  ],
  ["04040170000109060100d070", "Unsupported module at byte 18: a constant is a reference (reference types)"],
  [
    "0606017f004100fd070501016103000008046e616d650201",
    "Unsupported module at byte 15: a constant is a vector (SIMD)",
  ],
  ["0b040101", "Unsupported module at byte 11: a data segment is passive or names its memory (bulk memory)"],
  ["010401600000030201000a0d01330b", "Invalid module at byte 21: a function ends past its section"],
  [
    "010401600000030201000a0c010a02ffffffff0f7f",
    "Unsupported module at byte 23: a function has more than 1100 parameters and locals",
  ],
  ["0607017f1a", "Invalid module at byte 12: a global is neither constant nor variable"],
  ["0003c27f", "Unsupported module at byte 10: a name is longer than 10000 bytes"],
  ["010b0260e801", "Unsupported module at byte 12: a type has 232 parameters or results, the limit is 128"],
  ["0105045e", "Unsupported module at byte 11: a type is not that of a function (garbage collection)"],
  ["0607016301", "Unsupported module at byte 11: a value has type 0x63 (garbage collection)"],
  ["010501600170", "Unsupported module at byte 13: a value has type 0x70 (reference types)"],
  ["0105206000047465", "Unsupported module at byte 14: a value has type 0x74 (exception handling)"],
  ["010b0260017b", "Unsupported module at byte 13: a value has type 0x7b (SIMD)"],
  [
    "0404017000000906010041010b00",
    "Unsupported module at byte 17: an element segment ends past the table (element segment outside the table)",
  ],
  ["09041301", "Unsupported module at byte 11: an element segment is passive or has a kind (bulk memory)"],
  [
    "010401600000030201000a090107004100401a0b",
    "Unsupported module at byte 25: an instruction names a memory other than 0 (multiple memories)",
  ],
  [
    "010401600000030201000a0d010b00284041000e010000",
    "Unsupported module at byte 24: an instruction names its memory (multiple memories)",
  ],
  [
    "010401600000030201000a0d010b0000fc878000000b",
    "Unsupported module at byte 24: an opcode is padded (long opcode)",
  ],
  [
    "010401600000030201000a0a01080043b4a2915b9a0010",
    "Invalid module at byte 28: an operand has type f32, not f64",
  ],
  ["0105016000017d030201000a07010500420061", "Invalid module at byte 26: an operand has type i64, not f64"],
  [
    "010401600000030201000a09010700010141011b0b",
    "Invalid module at byte 27: an operand of type any is missing",
  ],
  ["0106016000027f7f030201000a050103008f00", "Invalid module at byte 25: an operand of type f32 is missing"],
  ["010401600000030201000a0601040012", "Unsupported module at byte 23: instruction 0x12 (tail calls)"],
  [
    "010401600000030201000a0a010800001c016401",
    "Unsupported module at byte 24: instruction 0x1c (reference types)",
  ],
  [
    "010401600000030201000a0c010a000640",
    "Unsupported module at byte 23: instruction 0x6 (exception handling)",
  ],
  [
    "010401600000030201000a070105800000d48bb60b0029046e",
    "Unsupported module at byte 25: instruction 0xd4 (function references)",
  ],
  [
    "010401600000030201000a07010500fb590c00010b000a046e616d650203010000",
    "Unsupported module at byte 23: instruction 0xfb (garbage collection)",
  ],
  [
    "0104016000000302010005030100000a07010500fc09000b",
    "Unsupported module at byte 28: instruction 0xfc 0x9 (bulk memory)",
  ],
  [
    "01040160000003020100050401010101070801047465737400000a12011000418080084180e0014100fc0f00000b000a046e616d650203010000",
    "Unsupported module at byte 49: instruction 0xfc 0xf (reference types)",
  ],
  [
    "0105016000017e030201000a0c010a00410043000000f1fd8080",
    "Unsupported module at byte 31: instruction 0xfd (SIMD)",
  ],
  [
    "010401600000030201000a0e010c0044dfbc9a785634f2441afe00616d650203010000",
    "Unsupported module at byte 33: instruction 0xfe (threads)",
  ],
  ["0d", "Unsupported module at byte 8: it has a section of tags (exception handling)"],
  ["0c0101", "Invalid module at byte 11: its data segments are missing"],
  ["050401010100", "Invalid module at byte 11: the maximum of the memory is below its length"],
  ["04050170010100", "Invalid module at byte 11: the maximum of the table is below its length"],
  ["05030106", "Unsupported module at byte 11: the memory has 64-bit addresses (memory64)"],
  ["05030102", "Unsupported module at byte 11: the memory is shared (threads)"],
  ["0408017000ffff0f", "Unsupported module at byte 11: the table has 262143 elements"],
  ["040d01700400", "Unsupported module at byte 12: the table has 64-bit indices (memory64)"],
  ["04090140", "Unsupported module at byte 11: the table has an initial value (function references)"],
  ["04746573", "Unsupported module at byte 11: the table is not of functions (reference types)"],
  ["0405017002330f0000", "Unsupported module at byte 12: the table is shared (threads)"],
  ["0a020c", "Invalid module at byte 10: there are 12 bodies for 0 functions"],
  ["01058120", "Unsupported module at byte 10: there are more than 1024 types"],
  ["05032e0001", "Unsupported module at byte 13: there is more than one memory (multiple memories)"],
  ["041429700000", "Unsupported module at byte 14: there is more than one table (reference types)"],
  ["07050101610200008800", "Invalid module at byte 13: there is no memory 0"],
  ["09060100", "Invalid module at byte 11: there is no table"],
  ["07050101610100000a046e616d01", "Invalid module at byte 13: there is no table 0"],
  ["030d1b01", "Invalid module at byte 11: there is no type 1"],
];

describe("A module is refused", () => {
  for (const [hex, message] of REFUSALS)
    test(`${message} (${hex})`, () => {
      const bytes = Uint8Array.from([...PREAMBLE, ...Buffer.from(hex, "hex")]);
      expect(faultOf(() => validate(bytes)).message).toBe(message);
      const everyByte = Array.from(bytes, (_, index) => index);
      expect(faultOf(() => validate(bytes, {}, everyByte)).message).toBe(message);
    });
});
