// The wizard's steps, what is wrong at each of them, and which of them a field of the service belongs to.
import {
  hasOwnPriors,
  marginOf,
  MARKETS_MOST,
  minutesOf,
  outcomeCount,
  outcomeNames,
  priorsOf,
  priorSum,
  thresholdsOf,
  versusPool,
  type Draft,
  type DraftPool,
  type Field,
  type Problems,
} from "./draft.ts";
import { LEAST_B, MOST_B, liquidityFor } from "./liquidity.ts";
import { momentOf } from "./numbers.ts";
import { dateProblems, jointProblems, numberProblems } from "./shape-problems.ts";

export const STEPS = ["kind", "question", "outcomes", "result", "money", "times", "check"] as const;
export type Step = (typeof STEPS)[number];

/** A step of one question. The check is of all of them. */
export interface Place {
  step: Step;
  /** Index of the pool. */
  pool: number;
}

const DISPUTE_MOST = 43_200;

/** The places in the order in which the wizard leads through them. */
export function placesOf(draft: Draft): Place[] {
  const ofPools = draft.pools.flatMap((_, pool) =>
    STEPS.filter((step) => step !== "check").map((step) => ({ step, pool })),
  );
  return [...ofPools, { step: "check", pool: 0 }];
}

export function isSamePlace(one: Place | null, other: Place): boolean {
  return one?.step === other.step && (one.step === "check" || one.pool === other.pool);
}

export function problemsAt({ step, pool: at }: Place, draft: Draft, nowMs: number): Problems {
  const pool = draft.pools[at];
  if (!pool) return {};
  switch (step) {
    case "question":
      return { ...(at === 0 ? event(draft) : {}), ...title(pool, draft) };
    case "outcomes":
      return { ...outcomes(pool), ...pictures(pool, draft), ...marketCount(at, draft) };
    case "result":
      return result(pool, draft);
    case "money":
      return moneyProblems(pool);
    case "times":
      return { ...times(pool, nowMs), ...(at === 0 ? loop(draft) : {}) };
    case "kind":
    case "check":
      return {};
  }
}

/** The first place with a problem; null where all is well. */
export function firstWrong(draft: Draft, nowMs: number): Place | null {
  return (
    placesOf(draft).find((place) => Object.keys(problemsAt(place, draft, nowMs)).length > 0) ?? null
  );
}

function event(draft: Draft): Problems {
  const problems: Problems = {};
  if (!draft.name.trim()) problems.name = "create.need_name";
  if (draft.imageUrl.trim() && !isWebAddress(draft.imageUrl)) problems.imageUrl = "create.bad_url";
  return problems;
}

/** Of several questions each has a name of its own. */
function title(pool: DraftPool, { pools }: Draft): Problems {
  if (pools.length === 1) return {};
  const named = pools.filter((one) => one.title.trim() === pool.title.trim());
  if (!pool.title.trim()) return { title: "create.need_name" };
  return named.length > 1 ? { title: "create.same_titles" } : {};
}

function outcomes(pool: DraftPool): Problems {
  if (pool.kind === "price") return priceOutcomes(pool);
  if (pool.kind === "number") return numberProblems(pool);
  if (pool.kind === "date") return dateProblems(pool);
  if (pool.kind === "joint") return jointProblems(pool);
  const problems: Problems = {};
  if (pool.kind === "yes_no") {
    if (!priorsOf(pool)) problems.yesPercent = "create.bad_percent";
    return problems;
  }
  const names = outcomeNames(pool);
  if (names.some((name) => name === "")) problems.outcomes = "create.need_outcome_names";
  else if (hasTwice(names, pool.hasOther)) problems.outcomes = "create.same_outcome_names";
  if (hasOwnPriors(pool) && !priorsOf(pool))
    problems.ownPriors = priorSum(pool) === 10_000 ? "create.bad_percent" : "create.bad_sum";
  return problems;
}

/** Names of a list that grows differ without regard to case. */
function hasTwice(names: string[], isFolded: boolean): boolean {
  const compared = isFolded ? names.map((name) => name.toLowerCase()) : names;
  return new Set(compared).size < names.length;
}

function pictures(pool: DraftPool, draft: Draft): Problems {
  if (pool !== versusPool(draft)) return {};
  const isWrong = pool.outcomes.some(({ imageUrl }) => imageUrl.trim() && !isWebAddress(imageUrl));
  return isWrong ? { pictures: "create.bad_url" } : {};
}

/** The question with which an event gets too many outcomes has the problem. */
function marketCount(at: number, { pools }: Draft): Problems {
  const count = pools.slice(0, at + 1).reduce((sum, pool) => sum + outcomeCount(pool), 0);
  return count > MARKETS_MOST ? { outcomes: "create.too_many_outcomes" } : {};
}

function priceOutcomes(pool: DraftPool): Problems {
  const problems: Problems = {};
  if (!pool.symbol.trim()) problems.symbol = "create.need_symbol";
  const bounds = thresholdsOf(pool);
  if (!bounds) problems.thresholds = "create.bad_number";
  else if (bounds.some((bound, index) => index > 0 && bound <= (bounds[index - 1] ?? bound)))
    problems.thresholds = "create.not_ascending";
  return problems;
}

function result(pool: DraftPool, draft: Draft): Problems {
  const problems: Problems = {};
  if (pool.rule === "external") {
    if (!isWebAddress(draft.externalUrl)) problems.externalUrl = "create.need_source";
    const wait = minutesOf(pool.waitMinutes);
    if (wait === null || wait < 1 || wait > DISPUTE_MOST)
      problems.waitMinutes = "create.bad_minutes";
  } else if (draft.externalUrl.trim() && !isWebAddress(draft.externalUrl))
    problems.externalUrl = "create.bad_url";
  const dispute = minutesOf(pool.disputeMinutes);
  if (dispute === null || dispute > DISPUTE_MOST) problems.disputeMinutes = "create.bad_minutes";
  return problems;
}

function moneyProblems(pool: DraftPool): Problems {
  const problems: Problems = {};
  const priors = priorsOf(pool);
  const b = priors ? liquidityFor(pool.worstKopecks ?? 0, priors) : LEAST_B;
  if (b < LEAST_B) problems.worstKopecks = "create.too_little";
  else if (b > MOST_B) problems.worstKopecks = "create.too_much";
  if (marginOf(pool) === null) problems.marginPercent = "create.bad_margin";
  return problems;
}

function times(pool: DraftPool, nowMs: number): Problems {
  const problems: Problems = {};
  const live = momentOf(pool.liveAt);
  const finish = momentOf(pool.finishAt);
  if (pool.rule !== "manual" && !finish) problems.finishAt = "create.need_finish";
  else if (finish && Date.parse(finish) <= nowMs) problems.finishAt = "create.past";
  else if (finish && live && Date.parse(finish) <= Date.parse(live))
    problems.finishAt = "create.before_live";
  return problems;
}

function loop(draft: Draft): Problems {
  const minutes = minutesOf(draft.loopMinutes);
  if (minutes === null) return { loopMinutes: "create.bad_minutes" };
  const hasDate = draft.pools.some(({ kind }) => kind === "date");
  return minutes > 0 && hasDate ? { loopMinutes: "create.date_recurs" } : {};
}

export function isWebAddress(text: string): boolean {
  const trimmed = text.trim();
  return URL.canParse(trimmed) && /^https?:$/.test(new URL(trimmed).protocol);
}

const OF_POOLS: [RegExp, Step, Field][] = [
  [/shape\.questions/, "outcomes", "questions"],
  [/shape/, "outcomes", "number"],
  [/\.margin$/, "money", "marginPercent"],
  [/lmsr_b_kopecks/, "money", "worstKopecks"],
  [/live_at/, "times", "liveAt"],
  [/finish_at/, "times", "finishAt"],
  [/resolution\.symbol/, "outcomes", "symbol"],
  [/resolution\.outcomes/, "outcomes", "thresholds"],
  [/wait_minutes/, "result", "waitMinutes"],
  [/dispute_minutes/, "result", "disputeMinutes"],
  [/market_probabilities/, "outcomes", "ownPriors"],
  [/market_names/, "outcomes", "outcomes"],
  [/rules/, "result", "rules"],
  [/metadata/, "result", "rule"],
  [/name_ru/, "question", "titleRu"],
  [/name/, "question", "title"],
];
const OF_EVENT: [RegExp, Step, Field][] = [
  [/loop_interval/, "times", "loopMinutes"],
  [/versus_images/, "outcomes", "pictures"],
  [/versus_names/, "outcomes", "outcomes"],
  [/external_event_url/, "result", "externalUrl"],
  [/tags/, "question", "tags"],
  [/image_url/, "question", "imageUrl"],
  [/name_ru/, "question", "nameRu"],
  [/name/, "question", "name"],
];

/** Where in the wizard a field of the service's refusal is: "pools[1].margin" is the second question's money. */
export function placeOf(name: string, draft: Draft): { place: Place; field: Field } | null {
  const index = /^pools\[(\d+)\]/.exec(name)?.[1];
  const found = (index === undefined ? OF_EVENT : OF_POOLS).find(([pattern]) => pattern.test(name));
  if (!found) return null;
  const [, step, field] = found;
  // A single question is called as the event is.
  const own = draft.pools.length === 1 ? ({ title: "name", titleRu: "nameRu" } as const) : {};
  const versus = Math.max(
    0,
    draft.pools.findIndex(({ kind }) => kind === "match"),
  );
  const pool = index !== undefined ? Number(index) : name.startsWith("versus") ? versus : 0;
  if (field === "number" && draft.pools[pool]?.kind === "date")
    return { place: { step, pool }, field: "dates" };
  return { place: { step, pool }, field: own[field as keyof typeof own] ?? field };
}
