// What is wrong with a draft, and which of its fields one of the service's is.
import { isZone } from "../../lib/zone.svelte.ts";
import { datePriors, stepDays } from "./date-ranges.ts";
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
import { CELLS_MOST } from "./joint-questions.ts";
import { LEAST_B, MOST_B, liquidityFor } from "./liquidity.ts";
import { edgesOf, numberPriors } from "./number-ranges.ts";
import { momentOf } from "./numbers.ts";

const DISPUTE_MOST = 43_200;

/** What is wrong with a question, and with the event that it is of. */
export function problemsOf(at: number, draft: Draft, nowMs: number): Problems {
  const pool = draft.pools[at];
  if (!pool) return {};
  return {
    ...event(draft),
    ...title(pool, draft),
    ...outcomes(pool),
    ...pictures(pool, draft),
    ...marketCount(at, draft),
    ...result(pool, draft),
    ...moneyProblems(pool),
    ...times(pool, nowMs),
    ...forecasts(pool, draft),
    ...loop(draft),
  };
}

/** The first question with a problem; null where all is well. */
export function firstWrong(draft: Draft, nowMs: number): number | null {
  const at = draft.pools.findIndex(
    (_, index) => Object.keys(problemsOf(index, draft, nowMs)).length > 0,
  );
  return at < 0 ? null : at;
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

function numberProblems(pool: DraftPool): Problems {
  const edges = edgesOf(pool.number);
  if (pool.number.edges.length === 0) return { number: "create.need_edges" };
  if (!edges) return { number: "create.bad_edge" };
  if (edges.some((edge, index) => index > 0 && edge <= (edges[index - 1] ?? edge)))
    return { number: "create.edges_not_ascending" };
  if (pool.number.log && (edges[0] ?? 0) <= 0) return { number: "create.log_positive" };
  return pool.ownPriors && !numberPriors(pool.number) ? { ownPriors: "create.bad_belief" } : {};
}

function dateProblems(pool: DraftPool): Problems {
  if (!isZone(pool.dates.zone)) return { dates: "create.bad_zone" };
  if (!stepDays(pool.dates)) return { dates: "create.need_dates" };
  return pool.ownPriors && !datePriors(pool.dates) ? { ownPriors: "create.bad_belief" } : {};
}

function jointProblems(pool: DraftPool): Problems {
  const { questions } = pool;
  const isTwice = (names: string[]) =>
    new Set(names.map((name) => name.trim().toLowerCase())).size < names.length;
  if (questions.some(({ name }) => !name.trim()))
    return { questions: "create.need_question_names" };
  const answers = questions.map(({ outcomes }) => outcomes.map(({ name }) => name));
  if (answers.flat().some((name) => !name.trim()))
    return { questions: "create.need_outcome_names" };
  if (isTwice(questions.map(({ name }) => name))) return { questions: "create.same_titles" };
  if (answers.some(isTwice)) return { questions: "create.same_outcome_names" };
  if (outcomeCount(pool) > CELLS_MOST) return { questions: "create.too_many_cells" };
  return hasOwnPriors(pool) && !priorsOf(pool) ? { jointPriors: "create.bad_sum_each" } : {};
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

function forecasts({ forecasts: shown, forecastsAt }: DraftPool, draft: Draft): Problems {
  if (shown !== "time") return {};
  if (!momentOf(forecastsAt)) return { forecastsAt: "create.need_shown_at" };
  return (minutesOf(draft.loopMinutes) ?? 0) > 0 ? { forecastsAt: "create.shown_recurs" } : {};
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

const OF_POOLS: [RegExp, Field][] = [
  [/shape\.questions/, "questions"],
  [/shape/, "number"],
  [/\.margin$/, "marginPercent"],
  [/lmsr_b_kopecks/, "worstKopecks"],
  [/live_at/, "liveAt"],
  [/finish_at/, "finishAt"],
  [/resolution\.symbol/, "symbol"],
  [/resolution\.outcomes/, "thresholds"],
  [/wait_minutes/, "waitMinutes"],
  [/dispute_minutes/, "disputeMinutes"],
  [/market_probabilities/, "ownPriors"],
  [/market_names/, "outcomes"],
  [/metadata\.forecasts/, "forecastsAt"],
  [/rules/, "rules"],
  [/metadata/, "rule"],
  [/name_ru/, "titleRu"],
  [/name/, "title"],
];
const OF_EVENT: [RegExp, Field][] = [
  [/loop_interval/, "loopMinutes"],
  [/versus_images/, "pictures"],
  [/versus_names/, "outcomes"],
  [/external_event_url/, "externalUrl"],
  [/tags/, "tags"],
  [/image_url/, "imageUrl"],
  [/name_ru/, "nameRu"],
  [/name/, "name"],
];

/**
 * Which field the service's refusal is of: "pools[1].margin" is the fee of the second question. `pool` is null of what
 * belongs to all of them.
 */
export function fieldOf(name: string, draft: Draft): { pool: number | null; field: Field } | null {
  const index = /^pools\[(\d+)\]/.exec(name)?.[1];
  const found = (index === undefined ? OF_EVENT : OF_POOLS).find(([pattern]) => pattern.test(name));
  if (!found) return null;
  const [, field] = found;
  if (index === undefined) {
    const versus = draft.pools.findIndex(({ kind }) => kind === "match");
    return { pool: name.startsWith("versus") ? Math.max(0, versus) : null, field };
  }
  // A single question is called as the event is.
  const own = draft.pools.length === 1 ? ({ title: "name", titleRu: "nameRu" } as const) : {};
  const pool = Number(index);
  if (field === "number" && draft.pools[pool]?.kind === "date") return { pool, field: "dates" };
  return { pool, field: own[field as keyof typeof own] ?? field };
}
