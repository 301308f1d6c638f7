// The fonts have every character that the client itself shows; what others wrote may need the system's.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { describe, expect, test } from "vitest";

const SRC = join(import.meta.dirname, "../src");
// The tables of a WOFF2 file that have a number of their own, in its order; the last number says that a tag follows.
const CMAP = 0;
const TRANSFORMED = new Set([10, 11]); // glyf and loca
const TAG_FOLLOWS = 63;

interface Face {
  file: string;
  ranges: [first: number, last: number][];
}

/** The faces of tokens.css with what they say they are for. */
function faces(): Face[] {
  const css = readFileSync(join(SRC, "styles/tokens.css"), "utf8");
  return [...css.matchAll(/fonts\/([\w-]+\.woff2)[^}]*unicode-range:([^;]+);/g)].map(
    ([, file = "", ranges = ""]) => ({
      file,
      ranges: ranges.split(",").map((range): [number, number] => {
        const [first = "", last = first] = range.trim().slice(2).split("-");
        return [parseInt(first, 16), parseInt(last, 16)];
      }),
    }),
  );
}

/** The characters of a font: its cmap, as WOFF2 packs it. */
function charactersOf(file: string): Set<number> {
  const font = readFileSync(join(SRC, "fonts", file));
  let at = 48;
  const number = (): number => {
    let value = 0;
    for (;;) {
      const byte = font.readUInt8(at++);
      value = value * 128 + (byte & 127);
      if (byte < 128) return value;
    }
  };
  let start = 0;
  let cmap = -1;
  for (let left = font.readUInt16BE(12); left > 0; left--) {
    const flags = font.readUInt8(at++);
    const tag = flags & 63;
    if (tag === TAG_FOLLOWS) at += 4;
    const length = number();
    // Version 3 of glyf and loca is the one that is not transformed; of all others it is 0.
    const isTransformed = TRANSFORMED.has(tag) ? flags >> 6 !== 3 : flags >> 6 !== 0;
    const packed = isTransformed ? number() : length;
    if (tag === CMAP) cmap = start;
    start += packed;
  }
  const tables = brotliDecompressSync(font.subarray(at, at + font.readUInt32BE(20)));
  return readCmap(tables.subarray(cmap));
}

/** The characters of a cmap's tables of format 4. */
function readCmap(cmap: Buffer): Set<number> {
  const found = new Set<number>();
  for (let index = 0; index < cmap.readUInt16BE(2); index++) {
    const table = cmap.subarray(cmap.readUInt32BE(4 + index * 8 + 4));
    if (table.readUInt16BE(0) !== 4) continue;
    const bytes = table.readUInt16BE(6);
    for (let at = 0; at < bytes; at += 2) {
      const last = table.readUInt16BE(14 + at);
      const first = table.readUInt16BE(16 + bytes + at);
      for (let one = first; one <= last && one !== 0xffff; one++) found.add(one);
    }
  }
  return found;
}

/** The characters of all messages and of the source, each with a place that shows it. */
function shown(): Map<string, string> {
  const places = new Map<string, string>();
  for (const entry of readdirSync(SRC, { recursive: true, withFileTypes: true })) {
    if (!/\.(json|svelte|ts)$/.test(entry.name) || entry.name.endsWith(".d.ts")) continue;
    const path = join(entry.parentPath, entry.name);
    for (const one of readFileSync(path, "utf8").replaceAll(/\s/g, ""))
      if (!places.has(one)) places.set(one, path.slice(SRC.length + 1));
  }
  return places;
}

describe("the fonts", () => {
  const known = faces().map(({ file, ranges }) => ({ ranges, has: charactersOf(file) }));

  test("have what the style sheet asks them for, and no more", () => {
    expect(known).toHaveLength(5);
    for (const { ranges, has } of known) {
      expect(has.size).toBeGreaterThan(0);
      const isAsked = (one: number) => ranges.some(([first, last]) => first <= one && one <= last);
      expect([...has].filter((one) => !isAsked(one))).toEqual([]);
    }
  });

  test("have all that messages and screens show", () => {
    const characters = shown();
    expect(characters.size).toBeGreaterThan(150);
    const missing = [...characters].filter(([one]) => {
      const code = one.codePointAt(0) ?? 0;
      const face = known.find(({ ranges }) =>
        ranges.some(([first, last]) => first <= code && code <= last),
      );
      return !face?.has.has(code);
    });
    expect(missing).toEqual([]);
  });
});
