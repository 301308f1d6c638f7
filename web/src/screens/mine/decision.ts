// What is sent to resolve a pool, from what was chosen and typed.
import type { Schemas } from "../../api/client.ts";
import { language, type Language } from "../../lib/i18n.ts";
import { outcomeOf, type Axis } from "../../lib/shapes.ts";
import { plainNumber } from "../../lib/typed-number.ts";
import { momentOf, parsePercent } from "../create/numbers.ts";

/** `value`: a number or a moment; `values`: an outcome of each question. */
export type DecisionKind = "winner" | "value" | "values" | "split" | "void";

export interface DecisionForm {
  kind: DecisionKind;
  wonSide: number | null;
  /** As typed; of a date as its field has it. */
  value: string;
  /** Names in the order of the questions; "" while none is chosen. */
  values: string[];
  /** Percent of a full payout, one a side, as typed. */
  shares: string[];
  /** The moment whose prices a void pays; "" for the last ones. */
  at: string;
  /** Why, in both languages, and where the result stands. */
  note: string;
  noteRu: string;
  source: string;
}

const NOTHING: Schemas["ResolveBody"] = {
  won_side: null,
  payouts: null,
  void: null,
  value: null,
  values: null,
  at: null,
  outcomes: null,
  note: null,
  note_ru: null,
  source_url: null,
};

/** What says why, to go with any request. */
export function reasonsOf(form: DecisionForm) {
  return {
    note: form.note.trim() || null,
    note_ru: form.noteRu.trim() || null,
    source_url: form.source.trim() || null,
  };
}

/** The kinds of results that a pool can have, the usual one first. */
export function decisionKinds(axis: Axis | null, isJoint: boolean): DecisionKind[] {
  if (isJoint) return ["values", "split", "void"];
  return [...(axis ? (["value"] as const) : []), "winner", "split", "void"];
}

/** A value as the service takes it; null where what is typed is none. */
export function valueOf(
  typed: string,
  axis: Axis | null,
  wanted: Language = language,
): string | null {
  if (axis?.kind === "date") return momentOf(typed);
  const text = plainNumber(typed, wanted) ?? "";
  return /^-?\d{1,18}(\.\d{1,18})?$/.test(text) ? text : null;
}

/** The outcome that holds a value: on an edge the one above. */
export function outcomeAt(value: string, axis: Axis): number {
  return outcomeOf(axis, axis.kind === "date" ? Date.parse(value) / 1000 : Number(value));
}

/** The request; null while the form decides nothing. */
export function decisionOf(
  form: DecisionForm,
  axis: Axis | null = null,
): Schemas["ResolveBody"] | null {
  switch (form.kind) {
    case "value": {
      const value = valueOf(form.value, axis);
      return value === null ? null : { ...NOTHING, value };
    }
    case "values":
      return form.values.every((name) => name !== "") ? { ...NOTHING, values: form.values } : null;
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
