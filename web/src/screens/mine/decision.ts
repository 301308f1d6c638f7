// What is sent to resolve a pool, from what was chosen and typed.
import type { Schemas } from "../../api/client.ts";
import { language, type Language } from "../../lib/i18n.ts";
import { outcomeOf, type Axis } from "../../lib/shapes.ts";
import { plainNumber } from "../../lib/typed-number.ts";
import { momentOf, parsePercent } from "../create/numbers.ts";

/** `value`: a number or a moment; `values`: an outcome of each question. */
export type DecisionKind = "winner" | "value" | "values" | "split" | "void";

/** Why, in both languages, and where the result stands. */
export interface Reasons {
  note: string;
  noteRu: string;
  source: string;
}

export interface DecisionForm extends Reasons {
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
}

export const NOTHING: Schemas["ResolveBody"] = {
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

/** What says why, to go with any request. A reason in Russian alone stands for both. */
export function reasonsOf(form: Reasons) {
  const [english, russian] = [form.note.trim(), form.noteRu.trim()];
  return {
    note: english || russian || null,
    note_ru: (english && russian) || null,
    source_url: form.source.trim() || null,
  };
}

/** What a result would be given without: skipped on purpose alone. */
export function missingReasons(form: Reasons): "none" | "reason" | "source" | "both" {
  const { note, source_url: source } = reasonsOf(form);
  if (note !== null) return source === null ? "source" : "none";
  return source === null ? "both" : "reason";
}

/** The outcome that a decision names: of a value the one that holds it, of answers their combination; else null. */
export function namedOutcome(
  form: DecisionForm,
  axis: Axis | null,
  questions: readonly { outcomes: string[] }[],
): number | null {
  if (form.kind === "value" && axis) {
    const value = valueOf(form.value, axis);
    return value === null ? null : outcomeAt(value, axis);
  }
  if (form.kind !== "values") return null;
  return questions.reduce<number | null>((index, { outcomes }, at) => {
    const chosen = outcomes.indexOf(form.values[at] ?? "");
    return index === null || chosen < 0 ? null : index * outcomes.length + chosen;
  }, 0);
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
