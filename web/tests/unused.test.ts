// Nothing is left over: messages, classes and colours that no screen uses.
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { readMessages } from "../plugins/messages.ts";

const SRC = join(import.meta.dirname, "../src");
const sources = new Map(
  globSync("**/*.{svelte,ts}", { cwd: SRC })
    .filter((path) => !path.endsWith(".d.ts"))
    .map((path) => [path, readFileSync(join(SRC, path), "utf8")]),
);
const components = [...sources].filter(([path]) => path.endsWith(".svelte"));
const styles = new Map(
  globSync("styles/*.css", { cwd: SRC }).map((path) => [
    basename(path),
    readFileSync(join(SRC, path), "utf8"),
  ]),
);

function found(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map((match) => match[1] ?? "");
}

describe("messages", () => {
  const areas = readMessages("en");
  const keys = Object.entries(areas).flatMap(([area, messages]) =>
    Object.keys(messages).map((key) => `${area}.${key}`),
  );
  const all = [...sources.values()];
  const literals = new Set(all.flatMap((text) => found(text, /["']([a-z]+\.\w+)["']/g)));
  /** Keys made of a value: `create.kind_${kind}`. */
  const made = all
    .flatMap((text) => found(text, /`([a-z]+\.[^`]*\$\{[^`]*)`/g))
    .filter((key) => (key.split(".")[0] ?? "") in areas);

  test("made of a value begin with what they have in common, so that each can be looked for", () => {
    expect(made.filter((key) => /^(?!errors\.)[a-z]+\.\$\{/.test(key))).toEqual([]);
  });

  test("are all used", () => {
    const patterns = made.map((key) => {
      const parts = key.split(/\$\{.*?\}/).map((part) => RegExp.escape(part));
      return new RegExp(`^${parts.join("\\w+")}$`);
    });
    // What play money is called stands beside what is said of money, what is said without a language beside the rest.
    const isUsed = (key: string) =>
      [key, key.replace(/_(play|sole|alone)$/, "")].some(
        (name) => literals.has(name) || patterns.some((pattern) => pattern.test(name)),
      );
    expect(keys.filter((key) => !isUsed(key))).toEqual([]);
  });
});

describe("looks", () => {
  const own = (text: string) => found(text, /<style>([\s\S]*)<\/style>/g).join("\n");
  const markup = (text: string) => text.replace(/<style>[\s\S]*<\/style>/g, "");
  const classesOf = (css: string) =>
    found(css.replace(/\/\*[\s\S]*?\*\//g, "").replace(/\{[^{}]*\}/g, "{}"), /\.(-?[a-z][\w-]*)/g);
  const base = styles.get("base.css") ?? "";

  test("that all screens share are each used by one", () => {
    const named = components.flatMap(([, text]) => [
      ...found(markup(text), /\sclass="((?:[^"{]|\{[^}]*\})*)"/g),
      ...found(markup(text), /\sclass:([\w-]+)/g),
    ]);
    const written = [...sources.values()].flatMap((text) => found(text, /["'`]([\w -]+)["'`]/g));
    const words = new Set([...named, ...written].flatMap((text) => text.split(/[^\w-]+/)));
    // Of a button: tint-yes, made of a side.
    const isMade = (name: string) => /^tint-/.test(name);
    const unused = classesOf(base).filter((name) => !words.has(name) && !isMade(name));
    expect([...new Set(unused)]).toEqual([]);
  });

  test("that a component names are there", () => {
    const shared = new Set(classesOf(base));
    const inside = new Set(
      components.flatMap(([, text]) => found(own(text), /:global\(([^)]*)\)/g).flatMap(classesOf)),
    );
    const missing = components.flatMap(([path, text]) => {
      const ours = new Set(classesOf(own(text)));
      const named = found(markup(text), /\sclass="([^"{}]*)"/g).flatMap((names) =>
        names.split(/\s+/).filter(Boolean),
      );
      return named
        .filter((name) => !ours.has(name) && !shared.has(name) && !inside.has(name))
        .map((name) => `${path}: ${name}`);
    });
    expect(missing).toEqual([]);
  });

  test("have no colour that nothing has", () => {
    const tokens = new Set(found(styles.get("tokens.css") ?? "", /(--[\w-]+):/g));
    const text = [...sources.values(), base].join("\n");
    const isMade = (token: string) => /^--c\d$/.test(token); // outcomeColour()
    expect(
      [...tokens].filter((token) => !text.includes(`var(${token})`) && !isMade(token)),
    ).toEqual([]);
  });
});
