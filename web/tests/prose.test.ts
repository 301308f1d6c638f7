import { describe, expect, test } from "vitest";
import { readProse, type Piece } from "../src/lib/prose.ts";

/** Pieces as short notation: "p(See a(https://a.test/ a.test))". */
function short(pieces: Piece[]): string {
  const names = { paragraph: "p", bullets: "ul", numbers: "ol", emphasis: "em", strong: "strong" };
  return pieces
    .map((piece) => {
      if (piece.kind === "text") return piece.text;
      if (piece.kind === "item") return `li${piece.number ?? ""}(${short(piece.parts)})`;
      if (piece.kind === "link")
        return `a(${[piece.href, piece.text, piece.host].filter(Boolean).join(" ")})`;
      return `${names[piece.kind]}(${short(piece.parts)})`;
    })
    .join("");
}

/** All that a reader sees. */
function seen(pieces: Piece[]): string {
  return pieces
    .map((piece) =>
      "parts" in piece
        ? (piece.kind === "item" ? (piece.number ?? "").toString() : "") + seen(piece.parts)
        : piece.text,
    )
    .join("");
}

const links = (text: string) => short(readProse(text)).match(/a\([^)]*\)?/g) ?? [];

describe("a text", () => {
  test.each([
    ["one\ntwo\n\nthree", "p(one\ntwo)p(three)"],
    ["- a\n- *b*\n  - c", "ul(li(p(a))li(p(em(b))ul(li(p(c)))))"],
    ["1. a\n3. b\n\n7) c", "ol(li1(p(a))li3(p(b)))ol(li7(p(c)))"],
    [
      "**so** and _so_, not so_or_so, 2 * 3 * 4",
      "p(strong(so) and em(so), not so_or_so, 2 * 3 * 4)",
    ],
    [String.raw`\*a\*`, "p(*a*)"],
    ["* * *\n\n____\n\n***a***", "p(* * *)p(____)p(em(strong(a)))"],
  ])("has paragraphs, lists and emphasis: %j", (text, pieces) => {
    expect(short(readProse(text))).toBe(pieces);
  });

  test.each([
    "# A heading",
    "A heading\n===",
    "> said",
    "`code` and ``` code",
    "<b>bold</b> <img src=x onerror=alert(1)> <!-- hidden -->",
    "&lt;b&gt; &#106;",
    "[a][b] [b]",
    "a | b\n| - | - |",
  ])("has no other markup: %j", (text) => {
    expect(short(readProse(text))).toBe(`p(${text})`);
  });

  test("names no reference that would hide its line", () => {
    expect(seen(readProse("[a]: https://a.test\n\n[a]"))).toBe("[a]: https://a.test[a]");
  });

  test.each(Array.from({ length: 300 }, (_, index) => index + 1))("loses nothing (%d)", (seed) => {
    const words = [
      "a",
      "b",
      " ",
      "\n",
      "\n\n",
      "- ",
      "1. ",
      "*",
      "**",
      "_",
      "\\",
      "[",
      "]",
      "(",
      ")",
    ];
    words.push(
      "https://a.test/b",
      "[c](https://d.test)",
      "<i>",
      "`",
      "#",
      ">",
      "---",
      "    ",
      "!",
      "\t",
    );
    let state = seed * 7_919;
    const text = Array.from({ length: 60 }, () => {
      state = (state * 48_271) % 2_147_483_647;
      return words[state % words.length];
    }).join("");
    const kept = (all: string) => all.replace(/[^a-z<>`#]/g, "");
    const address = /\]\(https:\/\/d\.test\)/g;
    const withoutNamed = text.replace(address, "");
    const shown = seen(readProse(text)).replace(address, "");
    expect(kept(shown)).toBe(kept(withoutNamed));
  });
});

describe("a link", () => {
  test.each([
    ["See https://a.test/b?c=d#e.", "a(https://a.test/b?c=d#e https://a.test/b?c=d#e)"],
    ["HTTP://A.test", "a(http://a.test/ HTTP://a.test)"],
    ["**https://a.test/b**", "a(https://a.test/b https://a.test/b)"],
    ["[the *rules*](https://a.test:81/b)", "a(https://a.test:81/b the *rules* a.test:81)"],
    ["![a](https://a.test)", "a(https://a.test/ a a.test)"],
  ])("leads to the web: %j", (text, link) => {
    expect(links(text)).toEqual([link]);
  });

  test("ends before the sentence and its brackets do", () => {
    const text = "(https://a.test/b_(c)). <https://a.test>, «https://a.test»";
    expect(short(readProse(text))).toBe(
      "p((a(https://a.test/b_(c) https://a.test/b_(c))). " +
        "<a(https://a.test/ https://a.test)>, «a(https://a.test/ https://a.test)»)",
    );
  });

  test.each([
    // The first three letters of each are Cyrillic.
    ["https://аррӏе.com/a", "a(https://xn--80ak6aa92e.com/a https://xn--80ak6aa92e.com/a)"],
    [
      "[apple.com](https://аррӏе.com)",
      "a(https://xn--80ak6aa92e.com/ apple.com xn--80ak6aa92e.com)",
    ],
    [
      "https://bank.test\\@evil.test",
      "a(https://bank.test/@evil.test https://bank.test\\@evil.test)",
    ],
    ["https://ＡＢ.test", "a(https://ab.test/ https://ab.test)"],
    ["[https://bank.test](https://evil.test)", "a(https://evil.test/ https://bank.test evil.test)"],
  ])("shows where it leads: %j", (text, link) => {
    expect(links(text)[0]).toBe(link);
  });

  test.each([
    "javascript:alert(1)",
    "[a](javascript:alert(1))",
    "[a](java\nscript:alert(1))",
    "[a](JaVaScRiPt:alert(1))",
    "[a](data:text/html,https)",
    "[a](//a.test)",
    "[a](/sign-out)",
    "[a](ftp://a.test)",
    "vbscript:https",
    "https://",
    "https://[",
    "https://bank.test@evil.test",
    "https://bank.test:443@evil.test",
    "[a](https://me:password@evil.test)",
    "xhttps://a.test",
    "me@a.test www.a.test a.test",
  ])("leads nowhere else: %j", (text) => {
    expect(links(text)).toEqual([]);
    expect(seen(readProse(text))).toBe(text);
  });

  test("ends where another attribute could begin", () => {
    expect(links('[a](https://a.test" onclick="alert(1))')).toEqual([
      "a(https://a.test/ https://a.test)",
    ]);
  });

  test("turns nothing that follows it", () => {
    expect(links("https://a.test/\u202emoc.knab")).toEqual(["a(https://a.test/ https://a.test/)"]);
    expect(links("[a](https://a.test/\u202eb)")).toEqual(["a(https://a.test/ https://a.test/)"]);
  });
});

describe("a text made to cost", () => {
  const LENGTH = 20_000;
  const filled = (piece: string) => piece.repeat(Math.ceil(LENGTH / piece.length)).slice(0, LENGTH);
  test.each([
    ...[
      "[",
      "![[",
      "[a](",
      "[a](http://b",
      "[a](http://b)",
      "[[a](http://b)",
      "*",
      "*_",
      "**a *b ",
    ],
    ...[
      "*a_ ",
      "a*b_c",
      "- ",
      "1. ",
      "-\n",
      "- a\n\n",
      "- a\nb\n",
      "<http://",
      "http://a.b/(",
      "\\",
    ],
    ...["h", "(", " \n", "> ", "https://a.b))))))))", "\t", "*a **b "],
  ])("is read, however often it says: %j", (piece) => {
    expect(() => readProse(filled(piece))).not.toThrow();
  });

  test("with brackets in brackets is shown as it was written", () => {
    const text = "[".repeat(10_000) + "](http://a.test)".repeat(625);
    expect(seen(readProse(text))).toContain("[".repeat(9_999));
  });

  test("with lists in lists keeps what is in the deepest", () => {
    expect(seen(readProse(`${"- ".repeat(3_000)}here`))).toContain("here");
    const lines = Array.from({ length: 60 }, (_, index) => `${"  ".repeat(index)}- line ${index}`);
    expect(seen(readProse(lines.join("\n")))).toContain("line 59");
  });
});
