// The request that makes an event of a draft.
import type { Schemas } from "../../api/client.ts";
import { plainNumber } from "../../lib/typed-number.ts";
import { dateEdges } from "./date-ranges.ts";
import {
  hasOwnPriors,
  hasTypedNames,
  marginOf,
  minutesOf,
  outcomeNames,
  priorsOf,
  thresholdsOf,
  versusPool,
  type Draft,
  type DraftPool,
} from "./draft.ts";
import { shapeQuestions } from "./joint-questions.ts";
import { liquidityFor } from "./liquidity.ts";
import { edgesOf } from "./number-ranges.ts";
import { momentOf } from "./numbers.ts";

/** The rule is one of several kinds, which the service checks. */
type Metadata = NonNullable<Schemas["PoolBody"]["metadata"]>;

/** Only for a draft without problems. */
export function requestOf(draft: Draft): Schemas["CreateEventBody"] {
  const match = versusPool(draft);
  const images = match?.outcomes.slice(0, 2).map(({ imageUrl }) => imageUrl.trim()) ?? [];
  return {
    name: draft.name.trim(),
    name_ru: draft.nameRu.trim(),
    tags: draft.tags,
    image_url: draft.imageUrl.trim(),
    external_event_url: draft.externalUrl.trim(),
    loop_interval_minutes: minutesOf(draft.loopMinutes) ?? 0,
    main_pool_index: 0,
    versus_images: images.some(Boolean) ? images : [],
    versus_names: match ? outcomeNames(match).slice(0, 2) : [],
    has_draw: match?.hasDraw ?? false,
    pools: draft.pools.map((pool) => poolOf(pool, draft)),
  };
}

function poolOf(pool: DraftPool, draft: Draft): Schemas["PoolBody"] {
  const isSingle = draft.pools.length === 1;
  return {
    name: (isSingle ? draft.name : pool.title).trim(),
    name_ru: (isSingle ? draft.nameRu : pool.titleRu).trim(),
    rules: pool.rules.trim(),
    margin: marginOf(pool) ?? 0,
    live_at: momentOf(pool.liveAt),
    finish_at: momentOf(pool.finishAt),
    metadata: metadataOf(pool) as unknown as Metadata,
  };
}

function metadataOf(pool: DraftPool): Record<string, unknown> {
  const names = outcomeNames(pool);
  const priors = priorsOf(pool) ?? [];
  const namesRu = pool.outcomes.map(({ name, nameRu }) => nameRu.trim() || name.trim());
  const hasRussian =
    hasTypedNames(pool) && pool.outcomes.some(({ nameRu }) => nameRu.trim() !== "");
  const shape = shapeOf(pool);
  return {
    ...(shape ? { shape } : {}),
    ...(names.length > 0 ? { market_names: names } : {}),
    ...(hasRussian ? { market_names_ru: namesRu } : {}),
    ...(pool.rulesRu.trim() ? { rules_ru: pool.rulesRu.trim() } : {}),
    ...(pool.kind === "yes_no" || hasOwnPriors(pool) ? { market_probabilities: priors } : {}),
    ...(pool.forecasts === "all" ? {} : { forecasts: { hidden: hiddenOf(pool) } }),
    lmsr_b_kopecks: liquidityFor(pool.worstKopecks ?? 0, priors),
    resolution: { ...ruleOf(pool), dispute_minutes: minutesOf(pool.disputeMinutes) ?? 0 },
  };
}

function hiddenOf({ forecasts, forecastsAt }: DraftPool): string | null {
  return forecasts === "time" ? momentOf(forecastsAt) : forecasts;
}

/** What the outcomes are together; null of plain names. */
function shapeOf(pool: DraftPool): Record<string, unknown> | null {
  switch (pool.kind) {
    case "number": {
      const unit = pool.number.unit.trim();
      const edges = edgesOf(pool.number) ?? [];
      return { kind: "number", edges, ...(unit ? { unit } : {}), log: pool.number.log };
    }
    case "date":
      return { kind: "date", edges: dateEdges(pool.dates) ?? [], zone: pool.dates.zone };
    case "price":
      // Its edges are the rule's.
      return { kind: "number" };
    case "list":
      return pool.hasOther ? { kind: "list" } : null;
    case "joint":
      return { kind: "joint", questions: shapeQuestions(pool.questions) };
    default:
      return null;
  }
}

function ruleOf(pool: DraftPool): Record<string, unknown> {
  if (pool.rule === "external")
    return { kind: "external", wait_minutes: minutesOf(pool.waitMinutes) ?? 1_440 };
  if (pool.rule === "manual") return { kind: "manual" };
  const bounds = (thresholdsOf(pool) ?? []).map((value) =>
    pool.relative === "none" ? value : { [pool.relative]: value },
  );
  return {
    kind: "price",
    symbol: pool.symbol.trim().toUpperCase(),
    outcomes: [...bounds, null].map((below, index) => ({
      ...(index > 0 ? { from: bounds[index - 1] } : {}),
      ...(below === null ? {} : { below }),
    })),
    ...(pool.relative === "none" ? { decimals: decimalsOf(pool) } : {}),
  };
}

/** As many decimals as the finest threshold has, two at least. */
function decimalsOf(pool: DraftPool): number {
  const places = pool.thresholds.map((typed) => plainNumber(typed)?.split(".")[1]?.length ?? 0);
  return Math.min(8, Math.max(2, ...places));
}
