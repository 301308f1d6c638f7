// What a creator has typed so far, and the request that it makes. A draft holds text as typed.
import type { Schemas } from "../../api/client.ts";
import { liquidityFor } from "./liquidity.ts";
import { momentOf, parseDecimal, parsePercent } from "./numbers.ts";

export type Kind = "yes_no" | "list" | "match" | "price";
export type Rule = "manual" | "external" | "price";

export interface DraftOutcome {
  name: string;
  nameRu: string;
  /** As typed, in percent. */
  percent: string;
}

export interface Draft {
  kind: Kind;
  name: string;
  nameRu: string;
  tags: string[];
  imageUrl: string;
  /** Of a list, or of a match: home, away and (with `hasDraw`) the draw. */
  outcomes: DraftOutcome[];
  hasDraw: boolean;
  yesPercent: string;
  /** Whether the priors of several outcomes are those typed, not all the same. */
  ownPriors: boolean;
  rule: Rule;
  rules: string;
  rulesRu: string;
  externalUrl: string;
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
  loopMinutes: string;
}

export const DRAW = { en: "Draw", ru: "Ничья" };
export const OUTCOMES_MOST = 100;

/** The rule is one of several kinds, which the service checks. */
type Metadata = NonNullable<Schemas["PoolBody"]["metadata"]>;

const outcome = (): DraftOutcome => ({ name: "", nameRu: "", percent: "" });

export function newDraft(): Draft {
  return {
    kind: "yes_no",
    name: "",
    nameRu: "",
    tags: [],
    imageUrl: "",
    outcomes: [outcome(), outcome()],
    hasDraw: false,
    yesPercent: "50",
    ownPriors: false,
    rule: "manual",
    rules: "",
    rulesRu: "",
    externalUrl: "",
    waitMinutes: "1440",
    symbol: "",
    thresholds: [""],
    relative: "none",
    disputeMinutes: "0",
    worstKopecks: 100_000,
    marginPercent: "2",
    liveAt: "",
    finishAt: "",
    loopMinutes: "0",
  };
}

/** A kept draft; null where it is none of this version's. */
export function readDraft(text: string | null): Draft | null {
  if (text === null) return null;
  try {
    const kept = JSON.parse(text) as Partial<Draft> | null;
    const made = newDraft();
    if (typeof kept !== "object" || kept === null) return null;
    const isSame = Object.entries(made).every(
      ([key, value]) =>
        key === "worstKopecks" ||
        (typeof kept[key as keyof Draft] === typeof value &&
          Array.isArray(kept[key as keyof Draft]) === Array.isArray(value)),
    );
    return isSame ? (kept as Draft) : null;
  } catch {
    return null;
  }
}

/** Chooses a kind; what was typed stays where it still has a meaning. */
export function choose(draft: Draft, kind: Kind): void {
  draft.kind = kind;
  if (kind === "price") draft.rule = "price";
  else if (draft.rule === "price") draft.rule = "manual";
  if (kind === "match") setDraw(draft, draft.hasDraw);
}

/** A match has two sides and perhaps a draw after them. */
export function setDraw(draft: Draft, hasDraw: boolean): void {
  draft.hasDraw = hasDraw;
  draft.outcomes = draft.outcomes.slice(0, 2);
  if (hasDraw) draft.outcomes.push({ name: DRAW.en, nameRu: DRAW.ru, percent: "" });
}

export function addOutcome(draft: Draft): void {
  draft.outcomes.push(outcome());
}

/** Prices between which the outcomes lie, the lowest first; null where one is none. */
export function thresholdsOf(draft: Draft): number[] | null {
  const numbers = draft.thresholds.map(parseDecimal);
  return numbers.every((number) => number !== null) ? numbers : null;
}

/** How many outcomes there are: 1 market of a yes/no question. */
export function outcomeCount(draft: Draft): number {
  if (draft.kind === "yes_no") return 1;
  return draft.kind === "price" ? draft.thresholds.length + 1 : draft.outcomes.length;
}

/** Priors as fractions; null where what is typed is no percentage or adds up to something else than 100. */
export function priorsOf(draft: Draft): number[] | null {
  if (draft.kind === "yes_no") {
    const yes = parsePercent(draft.yesPercent);
    return yes === null || yes < 1 || yes > 9_999 ? null : [yes / 10_000];
  }
  const count = outcomeCount(draft);
  if (!hasOwnPriors(draft)) return Array.from({ length: count }, () => 1 / count);
  const typed = draft.outcomes.map(({ percent }) => parsePercent(percent));
  const isWhole = typed.every((one) => one !== null && one > 0) && sumOf(typed) === 10_000;
  return isWhole ? typed.map((one) => (one ?? 0) / 10_000) : null;
}

export function hasOwnPriors({ kind, ownPriors }: Draft): boolean {
  return ownPriors && (kind === "list" || kind === "match");
}

/** The sum of the typed priors, in hundredths of a percent. */
export function priorSum(draft: Draft): number {
  return sumOf(draft.outcomes.map(({ percent }) => parsePercent(percent)));
}

const sumOf = (values: (number | null)[]) =>
  values.reduce<number>((sum, value) => sum + (value ?? 0), 0);

export function outcomeNames(draft: Draft): string[] {
  if (draft.kind === "price") return priceNames(draft.thresholds.length);
  return draft.kind === "yes_no" ? [] : draft.outcomes.map(({ name }) => name.trim());
}

/** The service fills in the prices at publication. */
function priceNames(thresholds: number): string[] {
  const between = Array.from({ length: thresholds - 1 }, () => "{low} – {high}");
  return ["Below {high}", ...between, "{low} or above"];
}

export function marginOf(draft: Draft): number | null {
  const hundredths = parsePercent(draft.marginPercent);
  return hundredths === null || hundredths > 5_000 ? null : hundredths / 10_000;
}

/** A whole number of minutes in a field; null where it is none. */
export function minutesOf(typed: string): number | null {
  return /^\d{1,8}$/.test(typed.trim()) ? Number(typed.trim()) : null;
}

/** The request that makes the event. Only for a draft without problems. */
export function requestOf(draft: Draft): Schemas["CreateEventBody"] {
  const isMatch = draft.kind === "match";
  return {
    name: draft.name.trim(),
    name_ru: draft.nameRu.trim(),
    tags: draft.tags,
    image_url: draft.imageUrl.trim(),
    external_event_url: draft.externalUrl.trim(),
    loop_interval_minutes: minutesOf(draft.loopMinutes) ?? 0,
    main_pool_index: 0,
    versus_images: [],
    versus_names: isMatch ? outcomeNames(draft).slice(0, 2) : [],
    has_draw: isMatch && draft.hasDraw,
    pools: [
      {
        name: draft.name.trim(),
        name_ru: draft.nameRu.trim(),
        rules: draft.rules.trim(),
        margin: marginOf(draft) ?? 0,
        live_at: momentOf(draft.liveAt),
        finish_at: momentOf(draft.finishAt),
        metadata: metadataOf(draft) as unknown as Metadata,
      },
    ],
  };
}

function metadataOf(draft: Draft): Record<string, unknown> {
  const names = outcomeNames(draft);
  const priors = priorsOf(draft) ?? [];
  const namesRu = draft.outcomes.map(({ name, nameRu }) => nameRu.trim() || name.trim());
  const hasRussian =
    (draft.kind === "list" || draft.kind === "match") &&
    draft.outcomes.some(({ nameRu }) => nameRu.trim() !== "");
  return {
    ...(names.length > 0 ? { market_names: names } : {}),
    ...(hasRussian ? { market_names_ru: namesRu } : {}),
    ...(draft.rulesRu.trim() ? { rules_ru: draft.rulesRu.trim() } : {}),
    ...(draft.kind === "yes_no" || hasOwnPriors(draft) ? { market_probabilities: priors } : {}),
    lmsr_b_kopecks: liquidityFor(draft.worstKopecks ?? 0, priors),
    resolution: { ...ruleOf(draft), dispute_minutes: minutesOf(draft.disputeMinutes) ?? 0 },
  };
}

function ruleOf(draft: Draft): Record<string, unknown> {
  if (draft.rule === "external")
    return { kind: "external", wait_minutes: minutesOf(draft.waitMinutes) ?? 1_440 };
  if (draft.rule === "manual") return { kind: "manual" };
  const bounds = (thresholdsOf(draft) ?? []).map((value) =>
    draft.relative === "none" ? value : { [draft.relative]: value },
  );
  return {
    kind: "price",
    symbol: draft.symbol.trim().toUpperCase(),
    outcomes: [...bounds, null].map((below, index) => ({
      ...(index > 0 ? { from: bounds[index - 1] } : {}),
      ...(below === null ? {} : { below }),
    })),
    ...(draft.relative === "none" ? { decimals: decimalsOf(draft) } : {}),
  };
}

/** As many decimals as the finest threshold has, two at least. */
function decimalsOf(draft: Draft): number {
  const places = draft.thresholds.map(
    (typed) => typed.replace(",", ".").split(".")[1]?.length ?? 0,
  );
  return Math.min(8, Math.max(2, ...places));
}
