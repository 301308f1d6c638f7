// What a creator has typed so far: an event and its questions, each a pool. A draft holds text as typed.
import type { PlainKey } from "../../lib/i18n.ts";
import { combinations } from "../../lib/joint.ts";
import { rangeText, type Axis } from "../../lib/shapes.ts";
import { dateEdges, datePriors, newDates, stepDays, type DraftDates } from "./date-ranges.ts";
import {
  cellCount,
  cellPriors,
  independentPriors,
  newQuestion,
  shapeQuestions,
  type DraftQuestion,
} from "./joint-questions.ts";
import { liquidityFor, worstCase } from "./liquidity.ts";
import { edgesOf, newNumber, numberPriors, type DraftNumber } from "./number-ranges.ts";
import { parseDecimal, parsePercent, parseWhole } from "./numbers.ts";

export type Kind = "yes_no" | "list" | "match" | "price" | "number" | "date" | "joint";
/** To whom others' forecasts are shown: to all, to who has said their own, to nobody before a time. */
export const SHOWN_TO = ["all", "own", "time"] as const;
export type Rule = "manual" | "external" | "price";

export interface DraftOutcome {
  name: string;
  nameRu: string;
  /** As typed, in percent. */
  percent: string;
  /** Address of a side's picture. */
  imageUrl: string;
}

export interface DraftPool {
  /** Of one question among several; a single one is called as the event is. */
  title: string;
  titleRu: string;
  kind: Kind;
  /** Of a list, or of a match: home, away and (with `hasDraw`) the draw. */
  outcomes: DraftOutcome[];
  hasDraw: boolean;
  /** Of a list: whether its last outcome is Other, out of which new ones are taken. */
  hasOther: boolean;
  yesPercent: string;
  /** Whether the priors of several outcomes are those typed, or of ranges those of a median, not all the same. */
  ownPriors: boolean;
  number: DraftNumber;
  dates: DraftDates;
  questions: DraftQuestion[];
  /** Of combinations: all the same, from the chances of each question's outcomes, or those typed in `cells`. */
  jointPriors: "same" | "questions" | "cells";
  /** As typed, in percent, one a combination. */
  cells: string[];
  rule: Rule;
  rules: string;
  rulesRu: string;
  waitMinutes: string;
  symbol: string;
  thresholds: string[];
  /** Thresholds as prices, as multiples of the price at the start, or as differences from it. */
  relative: "none" | "times" | "plus";
  disputeMinutes: string;
  /** The most that the house can lose. */
  worstKopecks: number | null;
  marginPercent: string;
  liveAt: string;
  finishAt: string;
  forecasts: (typeof SHOWN_TO)[number];
  /** Of "time". */
  forecastsAt: string;
}

export interface Draft {
  name: string;
  nameRu: string;
  tags: string[];
  imageUrl: string;
  externalUrl: string;
  loopMinutes: string;
  /** The first one is the main one. */
  pools: DraftPool[];
}

export const DRAW = { en: "Draw", ru: "Ничья" };
const OTHER = { en: "Other", ru: "Другое" };
export const OUTCOMES_MOST = 100;
export const POOLS_MOST = 100;
/** Of all pools of an event together. */
export const MARKETS_MOST = 1_000;

export function newOutcome(): DraftOutcome {
  return { name: "", nameRu: "", percent: "", imageUrl: "" };
}

export function newPool(): DraftPool {
  return {
    title: "",
    titleRu: "",
    kind: "yes_no",
    outcomes: [newOutcome(), newOutcome()],
    hasDraw: false,
    hasOther: false,
    yesPercent: "50",
    ownPriors: false,
    number: newNumber(),
    dates: newDates(),
    questions: [newQuestion(), newQuestion()],
    jointPriors: "same",
    cells: [],
    rule: "manual",
    rules: "",
    rulesRu: "",
    waitMinutes: "1440",
    symbol: "",
    thresholds: [""],
    relative: "none",
    disputeMinutes: "0",
    worstKopecks: 100_000,
    marginPercent: "2",
    liveAt: "",
    finishAt: "",
    forecasts: "all",
    forecastsAt: "",
  };
}

export function newDraft(): Draft {
  return {
    name: "",
    nameRu: "",
    tags: [],
    imageUrl: "",
    externalUrl: "",
    loopMinutes: "0",
    pools: [newPool()],
  };
}

/** A kept draft; null where it is none of this version's. */
export function readDraft(text: string | null): Draft | null {
  if (text === null) return null;
  try {
    const kept: unknown = JSON.parse(text);
    if (!isAlike(kept, newDraft())) return null;
    const { pools } = kept as Draft;
    return pools.length > 0 && pools.every((pool) => isAlike(pool, newPool()))
      ? (kept as Draft)
      : null;
  } catch {
    return null;
  }
}

/** Whether a value has the fields of another, each of its type; an amount may be missing. */
function isAlike(kept: unknown, made: object): boolean {
  if (typeof kept !== "object" || kept === null) return false;
  const found = kept as Record<string, unknown>;
  return Object.entries(made).every(([key, value]: [string, unknown]) => {
    if (key === "worstKopecks") return true;
    const isList = Array.isArray(value);
    if (typeof found[key] !== typeof value || Array.isArray(found[key]) !== isList) return false;
    return isList || typeof value !== "object" || value === null || isAlike(found[key], value);
  });
}

/** One more question, with the money and the times of the one before. The first is called as the event is until now. */
export function addPool(draft: Draft): void {
  const [first] = draft.pools;
  const last = draft.pools.at(-1);
  if (!first || !last || draft.pools.length >= POOLS_MOST) return;
  if (draft.pools.length === 1 && !first.title.trim()) {
    first.title = draft.name;
    first.titleRu = draft.nameRu;
  }
  const { worstKopecks, marginPercent, disputeMinutes, liveAt, finishAt } = last;
  draft.pools.push({
    ...newPool(),
    worstKopecks,
    marginPercent,
    disputeMinutes,
    liveAt,
    finishAt,
  });
}

/** Takes a question away; the last one stays. */
export function removePool(draft: Draft, at: number): void {
  if (draft.pools.length > 1) draft.pools.splice(at, 1);
}

/** Moves a question one place up or down. */
export function movePool(draft: Draft, at: number, by: 1 | -1): void {
  const [moved, other] = [draft.pools[at], draft.pools[at + by]];
  if (!moved || !other) return;
  draft.pools[at] = other;
  draft.pools[at + by] = moved;
}

/** The pool whose sides are the event's: the first match. */
export function versusPool(draft: Draft): DraftPool | undefined {
  return draft.pools.find(({ kind }) => kind === "match");
}

/** Chooses a kind; what was typed stays where it still has a meaning. */
export function choose(pool: DraftPool, kind: Kind): void {
  pool.kind = kind;
  if (kind !== "list") setOther(pool, false);
  if (kind === "price") pool.rule = "price";
  else if (pool.rule === "price") pool.rule = "manual";
  if (kind === "match") setDraw(pool, pool.hasDraw);
}

/** A match has two sides and perhaps a draw after them. */
export function setDraw(pool: DraftPool, hasDraw: boolean): void {
  pool.hasDraw = hasDraw;
  pool.outcomes = pool.outcomes.slice(0, 2);
  if (hasDraw) pool.outcomes.push({ ...newOutcome(), name: DRAW.en, nameRu: DRAW.ru });
}

/** Other is a list's last outcome. */
export function setOther(pool: DraftPool, hasOther: boolean): void {
  if (hasOther === pool.hasOther) return;
  pool.hasOther = hasOther;
  if (hasOther) pool.outcomes.push({ ...newOutcome(), name: OTHER.en, nameRu: OTHER.ru });
  else {
    pool.outcomes.pop();
    while (pool.outcomes.length < 2) pool.outcomes.push(newOutcome());
  }
}

/** Prices between which the outcomes lie, the lowest first; null where one is none. */
export function thresholdsOf(pool: DraftPool): number[] | null {
  const numbers = pool.thresholds.map((one) => parseDecimal(one));
  return numbers.every((number) => number !== null) ? numbers : null;
}

/** How many outcomes there are: 1 market of a yes/no question. */
export function outcomeCount(pool: DraftPool): number {
  switch (pool.kind) {
    case "yes_no":
      return 1;
    case "price":
      return pool.thresholds.length + 1;
    case "number":
      return pool.number.edges.length + 1;
    case "date":
      return (stepDays(pool.dates)?.length ?? 0) + 1;
    case "joint":
      return cellCount(pool.questions);
    default:
      return pool.outcomes.length;
  }
}

/** Priors as fractions; null where there are no outcomes yet, or what is typed does not add up to 100 percent. */
export function priorsOf(pool: DraftPool): number[] | null {
  if (pool.kind === "yes_no") {
    const yes = parsePercent(pool.yesPercent);
    return yes === null || yes < 1 || yes > 9_999 ? null : [yes / 10_000];
  }
  const count = outcomeCount(pool);
  if (count < 2) return null;
  if (!hasOwnPriors(pool)) return Array.from({ length: count }, () => 1 / count);
  if (pool.kind === "number") return numberPriors(pool.number);
  if (pool.kind === "date") return datePriors(pool.dates);
  if (pool.kind === "joint")
    return pool.jointPriors === "cells"
      ? cellPriors(pool.cells, count)
      : independentPriors(pool.questions);
  const typed = pool.outcomes.map(({ percent }) => parsePercent(percent));
  const isWhole = typed.every((one) => one !== null && one > 0) && sumOf(typed) === 10_000;
  return isWhole ? typed.map((one) => (one ?? 0) / 10_000) : null;
}

export function hasOwnPriors({ kind, ownPriors, jointPriors }: DraftPool): boolean {
  if (kind === "joint") return jointPriors !== "same";
  return ownPriors && kind !== "yes_no" && kind !== "price";
}

/** The sum of the typed priors, in hundredths of a percent. */
export function priorSum(pool: DraftPool): number {
  return sumOf(pool.outcomes.map(({ percent }) => parsePercent(percent)));
}

const sumOf = (values: (number | null)[]) =>
  values.reduce<number>((sum, value) => sum + (value ?? 0), 0);

/** Whether people write the outcomes' names, rather than the service. */
export function hasTypedNames({ kind }: DraftPool): boolean {
  return kind === "list" || kind === "match";
}

export function outcomeNames(pool: DraftPool): string[] {
  if (pool.kind === "price") return priceNames(pool.thresholds.length);
  return hasTypedNames(pool) ? pool.outcomes.map(({ name }) => name.trim()) : [];
}

/** The names that the service gives, as they are shown; [] where people or a rule give them, or something is missing. */
export function shownNames(pool: DraftPool): string[] {
  if (pool.kind === "joint") return combinations(shapeQuestions(pool.questions));
  const axis = pool.kind === "price" ? null : draftAxis(pool);
  if (!axis || axis.edges.length === 0) return [];
  return [...axis.edges, 0].map((_, index) => rangeText(axis, index, index + 1));
}

/** Of a number, a date or a price, whose edges need not ascend yet; null where there are none. */
export function draftAxis(pool: DraftPool): Axis | null {
  const { kind, number, dates } = pool;
  if (kind === "price" && pool.relative === "none") {
    const edges = thresholdsOf(pool);
    return edges && { kind: "number", edges, unit: "", isLog: false, zone: "" };
  }
  if (kind === "number") {
    const edges = edgesOf(number);
    return edges && { kind, edges, unit: number.unit.trim(), isLog: number.log, zone: "" };
  }
  const edges = kind === "date" ? dateEdges(dates) : null;
  const seconds = edges?.map((edge) => Date.parse(edge) / 1000);
  return seconds
    ? { kind: "date", edges: seconds, unit: "", isLog: false, zone: dates.zone }
    : null;
}

/** The service fills in the prices at publication. */
function priceNames(thresholds: number): string[] {
  const between = Array.from({ length: thresholds - 1 }, () => "{low} – {high}");
  return ["Below {high}", ...between, "{low} or above"];
}

export function marginOf(pool: DraftPool): number | null {
  const hundredths = parsePercent(pool.marginPercent);
  return hundredths === null || hundredths > 5_000 ? null : hundredths / 10_000;
}

/** What the house pays for a pool at publication, and can lose by it at most: kopecks. */
export function lossBound(pool: DraftPool): number {
  const priors = priorsOf(pool);
  return priors ? worstCase(liquidityFor(pool.worstKopecks ?? 0, priors), priors) : 0;
}

/** The same of all questions together. */
export function worstOfAll(draft: Draft): number {
  return draft.pools.reduce((sum, pool) => sum + lossBound(pool), 0);
}

/** Of a field. */
const MINUTES_MOST = 99_999_999;

/** A whole number of minutes in a field; null where it is none. */
export function minutesOf(typed: string): number | null {
  return parseWhole(typed, MINUTES_MOST);
}

export type Field = Exclude<keyof Draft, "pools"> | keyof DraftPool | "pictures";
/** What is wrong, by field. */
export type Problems = Partial<Record<Field, PlainKey>>;
