// t("home.title"), t("common.traders", { count: 3 }): keys and arguments are checked by the compiler.
import type { Arguments } from "../messages/types.d.ts";
import { isBilingual, isPlay, isTrading, site } from "./site.ts";
import { stored, store } from "./storage.ts";

export const LANGUAGES = ["en", "ru"] as const;
export type Language = (typeof LANGUAGES)[number];
export type Key = keyof Arguments;
/** Keys of messages without arguments. */
export type PlainKey = { [K in Key]: Arguments[K] extends undefined ? K : never }[Key];

type Compiled = Record<string, Record<string, (values?: object) => string>>;

type Loader = () => Promise<{ default: Compiled }>;

type Part =
  "first" | "event" | "forecasts" | "orders" | "results" | "shapes" | "joint" | "screens" | "work";

const MODULES: Record<Part, Record<Language, Loader>> = {
  first: {
    en: () => import("virtual:messages/en/first"),
    ru: () => import("virtual:messages/ru/first"),
  },
  event: {
    en: () => import("virtual:messages/en/event"),
    ru: () => import("virtual:messages/ru/event"),
  },
  forecasts: {
    en: () => import("virtual:messages/en/forecasts"),
    ru: () => import("virtual:messages/ru/forecasts"),
  },
  orders: {
    en: () => import("virtual:messages/en/orders"),
    ru: () => import("virtual:messages/ru/orders"),
  },
  results: {
    en: () => import("virtual:messages/en/results"),
    ru: () => import("virtual:messages/ru/results"),
  },
  shapes: {
    en: () => import("virtual:messages/en/shapes"),
    ru: () => import("virtual:messages/ru/shapes"),
  },
  joint: {
    en: () => import("virtual:messages/en/joint"),
    ru: () => import("virtual:messages/ru/joint"),
  },
  screens: {
    en: () => import("virtual:messages/en/screens"),
    ru: () => import("virtual:messages/ru/screens"),
  },
  work: {
    en: () => import("virtual:messages/en/work"),
    ru: () => import("virtual:messages/ru/work"),
  },
};

/** The language of this page. Changing it loads the page anew. */
export const language: Language =
  chosenLanguage() ??
  known(globalThis.navigator?.language) ??
  (site.languages[0] === "ru" ? "ru" : "en");
if (globalThis.document) document.documentElement.lang = language;

const compiled: Compiled = {};

/** Loads the messages that the first page and every other may need, or those of other parts. */
export async function loadMessages(
  wanted: Language = language,
  parts: Part[] = ["first"],
): Promise<void> {
  const modules = await Promise.all(parts.map((part) => MODULES[part][wanted]()));
  for (const { default: messages } of modules) Object.assign(compiled, messages);
}

/** A screen that is not the first, with its messages. */
export async function withMessages<Screen>(
  screen: Promise<Screen>,
  parts: Part[] = ["screens"],
): Promise<Screen> {
  const [loaded] = await Promise.all([screen, loadMessages(language, parts)]);
  return loaded;
}

/** The event's page, with its messages. */
export async function withEventMessages<Screen>(screen: Promise<Screen>): Promise<Screen> {
  return withMessages(screen, ["event"]);
}

/** A part that shows orders at a price, with its messages. */
export async function withOrderMessages<Component>(part: Promise<Component>): Promise<Component> {
  return withMessages(part, ["orders"]);
}

/** A part that shows forecasts, with its messages. */
export async function withForecastMessages<Component>(
  part: Promise<Component>,
): Promise<Component> {
  return withMessages(part, ["forecasts"]);
}

/** A part that shows a result and what people say of it, with its messages. */
export async function withResultMessages<Component>(part: Promise<Component>): Promise<Component> {
  return withMessages(part, ["results"]);
}

/** A part that shows a number or a date, with its messages. */
export async function withShapeMessages<Component>(part: Promise<Component>): Promise<Component> {
  return withMessages(part, ["shapes"]);
}

/** A part that shows a joint question, or how a list grows, with its messages. */
export async function withJointMessages<Component>(part: Promise<Component>): Promise<Component> {
  return withMessages(part, ["shapes", "joint"]);
}

/** A screen of those who run markets, with its messages. */
export async function withWorkMessages<Screen>(screen: Promise<Screen>): Promise<Screen> {
  return withMessages(screen, ["event", "screens", "work"]);
}

export function t<K extends Key>(
  key: K,
  ...values: Arguments[K] extends undefined ? [] : [Arguments[K]]
): string {
  return find(key)?.(values[0] ?? {}) ?? key;
}

/** Whether there is a plain message of this name: for keys made of a code of the service. */
export function has(key: string): key is PlainKey {
  return find(key) !== undefined;
}

/**
 * A site with play money has messages of its own, named `…_play`, where the others speak of money; one with a single
 * language `…_sole`, where the others name a language; one where nobody bets `…_alone`, where they speak of bets.
 */
function find(key: string): ((values?: object) => string) | undefined {
  const dot = key.indexOf(".");
  const area = compiled[key.slice(0, dot)];
  const name = key.slice(dot + 1);
  return (
    (isTrading ? undefined : area?.[`${name}_alone`]) ??
    (isPlay ? area?.[`${name}_play`] : undefined) ??
    (isBilingual ? undefined : area?.[`${name}_sole`]) ??
    area?.[name]
  );
}

export function setLanguage(wanted: Language): void {
  store("language", wanted);
  location.reload();
}

export function chosenLanguage(): Language | null {
  return known(stored("language"));
}

/** The language of a tag such as "ru-RU", where this site offers it. */
function known(tag: string | null | undefined): Language | null {
  return LANGUAGES.find((one) => site.languages.includes(one) && tag?.startsWith(one)) ?? null;
}

/** A name in the page's language; Russian where there is one. */
export function localName(of: { name: string; name_ru: string }): string {
  return language === "ru" && of.name_ru ? of.name_ru : of.name;
}

/** Of a text in both languages the one that is read here; the other where this one is missing. */
export function inLanguage(text: string, textRu: string): string {
  return language === "ru" ? textRu || text : text || textRu;
}
