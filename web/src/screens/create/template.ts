// The short form: one of the service's templates, filled in.
import type { Schemas } from "../../api/client.ts";
import { liquidityFor } from "./liquidity.ts";
import { parseDecimal, parsePercent } from "./numbers.ts";

export const TEMPLATES = ["yes_no", "match", "price", "candidates"] as const;
export type TemplateName = (typeof TEMPLATES)[number];

export type TemplateBody =
  | Schemas["YesNoTemplate"]
  | Schemas["MatchTemplate"]
  | Schemas["PriceTemplate"]
  | Schemas["CandidatesTemplate"];

/** As typed. `names`: candidates, or thresholds, one a line. */
export interface TemplateForm {
  template: TemplateName;
  question: string;
  percent: string;
  home: string;
  away: string;
  draw: boolean;
  symbol: string;
  relative: "none" | "times" | "plus";
  names: string;
  /** Whether candidates may come later. */
  other: boolean;
}

export interface TemplateTerms {
  worstKopecks: number;
  finishAt: string | null;
}

const MARGIN = 0.02;

const linesOf = (text: string) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);

/** The request; null while something is missing. */
export function templateBody(
  form: TemplateForm,
  { finishAt, worstKopecks }: TemplateTerms,
): TemplateBody | null {
  const terms = (priors: number[]) => ({
    tags: null,
    loop_interval_minutes: null,
    external_event_url: null,
    live_at: null,
    rules: null,
    lmsr_b_kopecks: liquidityFor(worstKopecks, priors),
    margin: MARGIN,
    finish_at: finishAt,
  });
  const same = (count: number) => Array.from({ length: count }, () => 1 / count);
  const question = form.question.trim();
  switch (form.template) {
    case "yes_no": {
      const yes = parsePercent(form.percent);
      if (!question || yes === null || yes < 1 || yes > 9_999) return null;
      const probability = yes / 10_000;
      return { template: "yes_no", question, probability, ...terms([probability]) };
    }
    case "match": {
      const [home, away] = [form.home.trim(), form.away.trim()];
      if (!home || !away) return null;
      return { template: "match", home, away, draw: form.draw, ...terms(same(form.draw ? 3 : 2)) };
    }
    case "price": {
      const symbol = form.symbol.trim().toUpperCase();
      const thresholds = linesOf(form.names).map((one) => parseDecimal(one));
      if (!symbol || !finishAt || thresholds.length === 0) return null;
      if (!thresholds.every((one) => one !== null)) return null;
      const relative = form.relative === "none" ? null : form.relative;
      const common = { ...terms(same(thresholds.length + 1)), finish_at: finishAt };
      return { template: "price", symbol, thresholds, relative, ...common };
    }
    case "candidates": {
      const names = linesOf(form.names);
      if (!question || names.length < 2) return null;
      const priors = same(names.length + (form.other ? 1 : 0));
      return {
        template: "candidates",
        question,
        names,
        other: form.other,
        ...terms(priors),
      };
    }
  }
}
