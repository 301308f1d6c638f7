// The wizard's steps, what is wrong at each of them, and which of them a field of the service belongs to.
import type { PlainKey } from "../../lib/i18n.ts";
import type { Draft } from "./draft.ts";
import {
  hasOwnPriors,
  marginOf,
  minutesOf,
  outcomeNames,
  priorsOf,
  priorSum,
  thresholdsOf,
} from "./draft.ts";
import { LEAST_B, MOST_B, liquidityFor } from "./liquidity.ts";
import { momentOf } from "./numbers.ts";

export const STEPS = ["kind", "question", "outcomes", "result", "money", "times", "check"] as const;
export type Step = (typeof STEPS)[number];

/** What is wrong, by the draft's field. */
export type Problems = Partial<Record<keyof Draft, PlainKey>>;

const DISPUTE_MOST = 43_200;

export function problemsAt(step: Step, draft: Draft, nowMs: number): Problems {
  switch (step) {
    case "question":
      return question(draft);
    case "outcomes":
      return outcomes(draft);
    case "result":
      return result(draft);
    case "money":
      return moneyProblems(draft);
    case "times":
      return times(draft, nowMs);
    case "kind":
    case "check":
      return {};
  }
}

/** The first step with a problem; null where all is well. */
export function firstWrong(draft: Draft, nowMs: number): Step | null {
  return STEPS.find((step) => Object.keys(problemsAt(step, draft, nowMs)).length > 0) ?? null;
}

function question(draft: Draft): Problems {
  const problems: Problems = {};
  if (!draft.name.trim()) problems.name = "create.need_name";
  if (draft.imageUrl.trim() && !isWebAddress(draft.imageUrl)) problems.imageUrl = "create.bad_url";
  return problems;
}

function outcomes(draft: Draft): Problems {
  if (draft.kind === "price") return priceOutcomes(draft);
  const problems: Problems = {};
  if (draft.kind === "yes_no") {
    if (!priorsOf(draft)) problems.yesPercent = "create.bad_percent";
    return problems;
  }
  const names = outcomeNames(draft);
  if (names.some((name) => name === "")) problems.outcomes = "create.need_outcome_names";
  else if (new Set(names).size < names.length) problems.outcomes = "create.same_outcome_names";
  if (hasOwnPriors(draft) && !priorsOf(draft))
    problems.ownPriors = priorSum(draft) === 10_000 ? "create.bad_percent" : "create.bad_sum";
  return problems;
}

function priceOutcomes(draft: Draft): Problems {
  const problems: Problems = {};
  if (!draft.symbol.trim()) problems.symbol = "create.need_symbol";
  const bounds = thresholdsOf(draft);
  if (!bounds) problems.thresholds = "create.bad_number";
  else if (bounds.some((bound, index) => index > 0 && bound <= (bounds[index - 1] ?? bound)))
    problems.thresholds = "create.not_ascending";
  return problems;
}

function result(draft: Draft): Problems {
  const problems: Problems = {};
  if (draft.rule === "external") {
    if (!isWebAddress(draft.externalUrl)) problems.externalUrl = "create.need_source";
    const wait = minutesOf(draft.waitMinutes);
    if (wait === null || wait < 1 || wait > DISPUTE_MOST)
      problems.waitMinutes = "create.bad_minutes";
  } else if (draft.externalUrl.trim() && !isWebAddress(draft.externalUrl))
    problems.externalUrl = "create.bad_url";
  const dispute = minutesOf(draft.disputeMinutes);
  if (dispute === null || dispute > DISPUTE_MOST) problems.disputeMinutes = "create.bad_minutes";
  return problems;
}

function moneyProblems(draft: Draft): Problems {
  const problems: Problems = {};
  const priors = priorsOf(draft);
  const b = priors ? liquidityFor(draft.worstKopecks ?? 0, priors) : LEAST_B;
  if (b < LEAST_B) problems.worstKopecks = "create.too_little";
  else if (b > MOST_B) problems.worstKopecks = "create.too_much";
  if (marginOf(draft) === null) problems.marginPercent = "create.bad_margin";
  return problems;
}

function times(draft: Draft, nowMs: number): Problems {
  const problems: Problems = {};
  const live = momentOf(draft.liveAt);
  const finish = momentOf(draft.finishAt);
  if (draft.rule !== "manual" && !finish) problems.finishAt = "create.need_finish";
  else if (finish && Date.parse(finish) <= nowMs) problems.finishAt = "create.past";
  else if (finish && live && Date.parse(finish) <= Date.parse(live))
    problems.finishAt = "create.before_live";
  if (minutesOf(draft.loopMinutes) === null) problems.loopMinutes = "create.bad_minutes";
  return problems;
}

export function isWebAddress(text: string): boolean {
  const trimmed = text.trim();
  return URL.canParse(trimmed) && /^https?:$/.test(new URL(trimmed).protocol);
}

const PLACES: [RegExp, Step, keyof Draft][] = [
  [/\.margin$/, "money", "marginPercent"],
  [/lmsr_b_kopecks/, "money", "worstKopecks"],
  [/live_at/, "times", "liveAt"],
  [/finish_at/, "times", "finishAt"],
  [/loop_interval/, "times", "loopMinutes"],
  [/resolution\.symbol/, "outcomes", "symbol"],
  [/resolution\.outcomes/, "outcomes", "thresholds"],
  [/wait_minutes/, "result", "waitMinutes"],
  [/dispute_minutes/, "result", "disputeMinutes"],
  [/market_probabilities/, "outcomes", "ownPriors"],
  [/market_names|versus/, "outcomes", "outcomes"],
  [/external_event_url/, "result", "externalUrl"],
  [/rules/, "result", "rules"],
  [/metadata/, "result", "rule"],
  [/tags/, "question", "tags"],
  [/image_url/, "question", "imageUrl"],
  [/name_ru/, "question", "nameRu"],
  [/name/, "question", "name"],
];

/** Where in the wizard a field of the service's refusal is: "pools[0].margin" is the money's. */
export function placeOf(field: string): { step: Step; field: keyof Draft } | null {
  const found = PLACES.find(([pattern]) => pattern.test(field));
  return found ? { step: found[1], field: found[2] } : null;
}
