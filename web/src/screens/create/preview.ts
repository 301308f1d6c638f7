// The card of a draft, as lists will show it once it is published.
import type { Card } from "../../api/cards.ts";
import type { CardNow } from "../../lib/cards.svelte.ts";
import { language, t } from "../../lib/i18n.ts";
import { otherLast } from "../../lib/outcomes.ts";
import { quantiles } from "../../lib/shapes.ts";
import {
  draftAxis,
  hasTypedNames,
  priorsOf,
  shownNames,
  type Draft,
  type DraftPool,
} from "./draft.ts";
import { momentOf } from "./numbers.ts";
import { priceRanges } from "./price-ranges.ts";
import { isWebAddress } from "./problems.ts";

const SHOWN = 4;

/** `picture`: the address of the cover, "" for none. */
export function previewOf(draft: Draft, picture: string): { card: Card; now: CardNow } {
  const pool = draft.pools[0];
  if (!pool) throw new Error("a draft has a question");
  const names = outcomeTexts(pool);
  const typed = priorsOf(pool);
  const priors = typed?.length === names.length ? typed : names.map(() => 1 / names.length);
  const outcomes = names.map((name, index) => ({
    market_id: index,
    outcome_index: index,
    name,
    probability: priors[index] ?? 0,
    probability_24h: priors[index] ?? 0,
  }));
  const top = otherLast(
    outcomes.toSorted((one, another) => another.probability - one.probability),
    ({ outcome_index }) => pool.hasOther && outcome_index === names.length - 1,
  ).slice(0, SHOWN);
  const axis = draftAxis(pool);
  const isAscending = axis?.edges.every(
    (edge, index, all) => index === 0 || edge > (all[index - 1] ?? edge),
  );
  const times = { live_at: momentOf(pool.liveAt), finish_at: momentOf(pool.finishAt) };
  const isYesNo = pool.kind === "yes_no";
  return {
    card: {
      event_id: 0,
      name: draft.name.trim() || t("create.preview_name"),
      name_ru: draft.nameRu.trim(),
      tags: draft.tags,
      image_url: picture.startsWith("data:") || isWebAddress(picture) ? picture : "",
      status: "active",
      published_at: null,
      finish_at: times.finish_at,
      resolved_at: null,
      volume_kopecks: 0,
      volume_24h_kopecks: 0,
      traders: 0,
      comments: 0,
      pools: draft.pools.length,
      pool: {
        pool_id: 0,
        name: "",
        name_ru: "",
        ...times,
        paused: false,
        won_side: null,
        outcomes: names.length,
        other: pool.hasOther ? names.length - 1 : null,
        top,
        spark: [],
        quantiles: null,
      },
    },
    now: {
      status: "active",
      paused: false,
      wonSide: null,
      volumeKopecks: 0,
      comments: 0,
      traders: 0,
      top,
      isYesNo,
      spread:
        axis && axis.edges.length > 0 && isAscending
          ? { axis, quantiles: quantiles(axis, priors) }
          : null,
      isOpen: true,
    },
  };
}

/** What the outcomes will be called in the page's language. */
function outcomeTexts(pool: DraftPool): string[] {
  if (pool.kind === "yes_no") return [t("common.yes")];
  if (pool.kind === "price") return priceRanges(pool);
  if (!hasTypedNames(pool)) return shownNames(pool);
  return pool.outcomes.map(
    ({ name, nameRu }, index) =>
      (language === "ru" && nameRu.trim()) ||
      name.trim() ||
      t("create.outcome_n", { n: index + 1 }),
  );
}
