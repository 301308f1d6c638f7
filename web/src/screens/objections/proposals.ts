// What an objection proposes, as a result of its pool.
import type { Schemas } from "../../api/client.ts";
import { dateTime } from "../../lib/formats.ts";
import { t } from "../../lib/i18n.ts";
import { jointOf } from "../../lib/joint.ts";
import { marketNames } from "../../lib/market-names.ts";
import { axisOf } from "../../lib/shapes.ts";
import { resultText } from "../event/result.ts";
import { NOTHING, outcomeAt } from "../mine/decision.ts";

type Pool = Schemas["Pool"];
type Result = Pick<Schemas["PoolResolution"], "decided_at" | "payouts" | "won_side" | "value">;

interface Proposal {
  won_side?: number;
  payouts?: number[];
  value?: string;
  values?: string[];
  at?: string;
}

/** The result of a pool in words; "" before it has one. */
export function resultOf(pool: Pool, result: Result): string {
  const outcomes = marketNames(pool).map((name, index) => ({ index, name }));
  return resultText(result, outcomes, axisOf(pool)) ?? "";
}

/** What is proposed in words; "" where nothing is. */
export function proposalText(pool: Pool, proposal: Schemas["Objection"]["proposal"]): string {
  if (!proposal) return "";
  const { at, payouts = null, value = null, ...named } = proposal as Proposal;
  if (at !== undefined) return t("objections.void_at", { time: dateTime(at) });
  const won = wonSide(pool, { ...named, ...(value === null ? {} : { value }) });
  const paid = won === null ? payouts : pool.markets.map((_, index) => Number(index === won));
  return resultOf(pool, { decided_at: "", payouts: paid, won_side: won, value });
}

/** The request that gives the proposed result. */
export function upheldBody(
  pool: Pool,
  proposal: NonNullable<Schemas["Objection"]["proposal"]>,
  reasons: Pick<Schemas["ResolveBody"], "note" | "note_ru" | "source_url">,
): Schemas["ResolveBody"] {
  // Of a list: for so many outcomes it was proposed.
  const outcomes = pool.other === null ? null : pool.markets.length;
  return { ...NOTHING, ...proposal, ...reasons, outcomes };
}

function wonSide(pool: Pool, { won_side, value, values }: Proposal): number | null {
  const axis = axisOf(pool);
  if (value !== undefined && axis) return outcomeAt(value, axis);
  const questions = jointOf(pool);
  if (values && questions)
    return questions.reduce(
      (index, { outcomes }, at) => index * outcomes.length + outcomes.indexOf(values[at] ?? ""),
      0,
    );
  return won_side ?? null;
}
