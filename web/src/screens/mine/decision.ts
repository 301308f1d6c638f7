// What is sent to resolve a pool, from what was chosen and typed.
import type { Schemas } from "../../api/client.ts";
import { momentOf, parsePercent } from "../create/numbers.ts";

export type DecisionKind = "winner" | "split" | "void";

export interface DecisionForm {
  kind: DecisionKind;
  wonSide: number | null;
  /** Percent of a full payout, one a side, as typed. */
  shares: string[];
  /** The moment whose prices a void pays; "" for the last ones. */
  at: string;
}

const NOTHING: Schemas["ResolveBody"] = {
  won_side: null,
  payouts: null,
  void: null,
  value: null,
  values: null,
  at: null,
};

/** The request; null while the form decides nothing. */
export function decisionOf(form: DecisionForm): Schemas["ResolveBody"] | null {
  switch (form.kind) {
    case "winner":
      return form.wonSide === null ? null : { ...NOTHING, won_side: form.wonSide };
    case "split": {
      const parts = form.shares.map((share) => parsePercent(share || "0"));
      if (!parts.every((part) => part !== null) || splitSum(form.shares) !== 10_000) return null;
      return { ...NOTHING, payouts: parts.map((part) => part / 10_000) };
    }
    case "void":
      return { ...NOTHING, void: true, at: momentOf(form.at) };
  }
}

/** Hundredths of a percent that a split gives out: 10,000 is all of it. */
export function splitSum(shares: string[]): number {
  return shares.reduce((sum, share) => sum + (parsePercent(share) ?? 0), 0);
}
