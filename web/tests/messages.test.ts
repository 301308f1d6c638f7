import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { argumentsOf, readMessages } from "../plugins/messages.ts";

const english = readMessages("en");
const russian = readMessages("ru");
const RUSSIAN_PLURALS = ["one", "few", "many", "other"];

test("both languages have the same areas", () => {
  expect(Object.keys(russian)).toEqual(Object.keys(english));
});

describe.each(Object.keys(english))("the messages of %s", (area) => {
  const [en, ru] = [english[area] ?? {}, russian[area] ?? {}];

  test("are the same in both languages, with the same arguments", () => {
    expect(Object.keys(ru).sort()).toEqual(Object.keys(en).sort());
    for (const [key, message] of Object.entries(en)) {
      const names = [...argumentsOf(message).keys()].sort();
      expect([key, ...[...argumentsOf(ru[key] ?? "").keys()].sort()]).toEqual([key, ...names]);
    }
  });

  test("have all of Russian's plurals", () => {
    for (const message of Object.values(ru)) {
      if (!message.includes(", plural,")) continue;
      for (const form of RUSSIAN_PLURALS) expect(message).toContain(`${form}{`);
    }
  });
});

/** Every code that an answer of the service may have, but those of partners. */
function errorCodes(): string[] {
  const codes = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    if ("enum" in value && Array.isArray(value.enum) && "error" in value) visit(value.error);
    for (const [key, inner] of Object.entries(value)) {
      if (key === "error" && typeof inner === "object" && inner !== null && "enum" in inner)
        (inner.enum as string[]).forEach((code) => codes.add(code));
      visit(inner);
    }
  };
  const document = JSON.parse(
    readFileSync(join(import.meta.dirname, "../../docs/openapi.json"), "utf8"),
  ) as { paths: Record<string, unknown> };
  for (const [path, item] of Object.entries(document.paths)) {
    if (!path.includes("/api/v1/partner/")) visit(item);
  }
  return [...codes].filter((code) => code !== code.toUpperCase()).sort();
}

test("every error code of the service has its text", () => {
  const codes = errorCodes();
  expect(codes.length).toBeGreaterThan(40);
  expect(codes.filter((code) => !(code in (english.errors ?? {})))).toEqual([]);
});
