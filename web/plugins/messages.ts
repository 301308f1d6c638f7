// Messages: src/messages/<area>.<language>.json, ICU MessageFormat. Compiled at build time into nine modules a
// language: what the first page and every other may need, the event's page, orders at a price, results and objections,
// numbers and dates, joint questions and lists that grow, forecasts, the areas of all other screens, and those of who
// runs markets. All but the first come with what shows them.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import MessageFormat from "@messageformat/core";
import compileModule from "@messageformat/core/compile-module.js";
import { parse, type Token } from "@messageformat/parser";
import type { Plugin } from "vite";

export const LANGUAGES = ["en", "ru"] as const;
const FIRST_AREAS = new Set([
  "common",
  "errors",
  "home",
  "layout",
  "notfound",
  "slip",
  "support",
  "time",
  "topics",
]);
const WORK_AREAS = new Set([
  "admin",
  "create",
  "looks",
  "members",
  "mine",
  "moderation",
  "objections",
]);
/** Numbers and dates, and the slips that trade several outcomes at once. */
const SHAPE_AREAS = new Set(["baskets", "number"]);
/** Joint questions, and lists that grow; they trade several outcomes at once, too. */
const JOINT_AREAS = new Set(["joint", "lists"]);
/** Parts of one area. */
const OWN_AREAS = ["event", "forecasts", "orders", "results"] as const;
type Part = "first" | (typeof OWN_AREAS)[number] | "shapes" | "joint" | "screens" | "work";

export function partOf(area: string): Part {
  if (FIRST_AREAS.has(area)) return "first";
  const own = OWN_AREAS.find((one) => one === area);
  if (own) return own;
  if (SHAPE_AREAS.has(area)) return "shapes";
  if (JOINT_AREAS.has(area)) return "joint";
  return WORK_AREAS.has(area) ? "work" : "screens";
}

type Messages = Record<string, Record<string, string>>;

export const FOLDER = join(import.meta.dirname, "../src/messages");

/** The messages of one language by area and key. */
export function readMessages(language: string): Messages {
  const ending = `.${language}.json`;
  const names = readdirSync(FOLDER).filter((name) => name.endsWith(ending));
  return Object.fromEntries(
    names
      .sort()
      .map((name) => [
        name.slice(0, -ending.length),
        JSON.parse(readFileSync(join(FOLDER, name), "utf8")) as Record<string, string>,
      ]),
  );
}

/** A message's arguments: "number" where it selects a plural, "string" where it selects a case. */
export function argumentsOf(message: string): Map<string, "value" | "number" | "string"> {
  const found = new Map<string, "value" | "number" | "string">();
  const visit = (tokens: Token[]): void => {
    for (const token of tokens) {
      if (!("arg" in token)) continue;
      if (token.type === "plural" || token.type === "selectordinal") found.set(token.arg, "number");
      else if (token.type === "select") found.set(token.arg, "string");
      else if (!found.has(token.arg)) found.set(token.arg, "value");
      if ("cases" in token) for (const one of token.cases) visit(one.tokens);
    }
  };
  visit(parse(message));
  return found;
}

const TYPES = { value: "string | number", number: "number", string: "string" };

/** Writes the types of all keys and their arguments, from the English messages. */
export function writeTypes(): void {
  const lines = ["// Written by scripts/messages.ts.", "export interface Arguments {"];
  for (const [area, messages] of Object.entries(readMessages("en"))) {
    for (const [key, message] of Object.entries(messages)) {
      const fields = [...argumentsOf(message)].map(([name, kind]) => `${name}: ${TYPES[kind]}`);
      lines.push(
        `  "${area}.${key}": ${fields.length ? `{ ${fields.join("; ")} }` : "undefined"};`,
      );
    }
  }
  writeFileSync(join(FOLDER, "types.d.ts"), [...lines, "}", ""].join("\n"));
}

/** Serves `virtual:messages/<language>/<part>`: an object of areas, each an object of functions. */
export function messages(): Plugin {
  const prefix = "virtual:messages/";
  return {
    name: "foreknow-messages",
    buildStart: writeTypes,
    resolveId: (id) => (id.startsWith(prefix) ? `\0${id}` : undefined),
    load(id) {
      if (!id.startsWith(`\0${prefix}`)) return undefined;
      const [language = "", part] = id.slice(prefix.length + 1).split("/");
      const areas = Object.entries(readMessages(language));
      const wanted = areas.filter(([area]) => partOf(area) === part);
      return compileModule(new MessageFormat(language), Object.fromEntries(wanted));
    },
    handleHotUpdate({ file, server }) {
      if (!file.startsWith(FOLDER) || !file.endsWith(".json")) return undefined;
      writeTypes();
      server.moduleGraph.invalidateAll();
      server.ws.send({ type: "full-reload" });
      return [];
    },
  };
}
