// What the outcomes of a pool are together: ranges of a number or of time, or the answers to several questions.
import { language as ofPage, t, type Language } from "./i18n.ts";

export interface NumberShape {
  kind: "number";
  /** null before a price rule knows them. */
  edges: number[] | null;
  unit?: string | null;
  log?: boolean | null;
}
export interface DateShape {
  kind: "date";
  /** Moments, ISO 8601. */
  edges: string[];
  zone?: string | null;
}
export interface JointQuestion {
  name: string;
  name_ru?: string | null;
  outcomes: string[];
  outcomes_ru?: string[] | null;
}
export interface JointShape {
  kind: "joint";
  questions: JointQuestion[];
}
export type Shape = NumberShape | DateShape | JointShape | { kind: "list" };

/** What a pool's answer says of its shape; null of a plain pool. */
export function shapeOf(pool: { shape?: unknown }): Shape | null {
  return (pool.shape ?? null) as Shape | null;
}

export function jointOf(pool: { shape?: unknown }): JointShape | null {
  const shape = shapeOf(pool);
  return shape?.kind === "joint" ? shape : null;
}

const numbers = new Intl.NumberFormat(ofPage, { maximumFractionDigits: 8 });
const small = new Intl.NumberFormat(ofPage, { maximumFractionDigits: 8, useGrouping: false });
const GROUPED_FROM = 10_000;

/** An edge: "−7.5", "10,000". */
export function edgeNumber(value: number): string {
  const format = Math.abs(value) >= GROUPED_FROM ? numbers : small;
  return format.format(value).replace("-", "−");
}

/** "1 January 2027", with the time of day where it is not midnight. */
export function edgeDate(time: string | number, zone = "UTC"): string {
  const locale = ofPage === "en" ? "en-GB" : ofPage;
  const options = { timeZone: zone } as const;
  const at = new Date(time);
  const part = (wanted: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { ...options, ...wanted }).format(at);
  const year = part({ year: "numeric" }).replace(/\D/gu, "");
  const day = `${part({ day: "numeric", month: "long" })} ${year}`;
  const clock = part({ hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  return clock === "00:00" ? day : `${day}, ${clock}`;
}

export function numberNames(edges: number[], unit = ""): string[] {
  const ending = unit ? ` ${unit}` : "";
  const texts = edges.map(edgeNumber);
  return [
    t("common.range_below", { high: (texts[0] ?? "") + ending }),
    ...texts.slice(1).map((high, index) => `${texts[index] ?? ""} – ${high}${ending}`),
    t("common.range_above", { low: (texts.at(-1) ?? "") + ending }),
  ];
}

export function dateNames(edges: (string | number)[], zone = "UTC"): string[] {
  const texts = edges.map((edge) => edgeDate(edge, zone));
  return [
    t("common.range_before", { high: texts[0] ?? "" }),
    ...texts.slice(1).map((high, index) => `${texts[index] ?? ""} – ${high}`),
    t("common.range_later", { low: texts.at(-1) ?? "" }),
  ];
}

/** A question's name in the page's language. */
export function questionName(question: JointQuestion, language: Language = ofPage): string {
  return (language === "ru" && question.name_ru) || question.name;
}

/** The outcomes of a question in the page's language. */
export function questionOutcomes(
  { outcomes, outcomes_ru }: JointQuestion,
  language: Language = ofPage,
): string[] {
  return outcomes.map((name, index) => (language === "ru" && outcomes_ru?.[index]) || name);
}

/** The combinations of the questions' outcomes, the last question's changing fastest. */
export function jointNames(questions: JointQuestion[], language: Language = ofPage): string[] {
  return questions
    .map((question) => questionOutcomes(question, language))
    .reduce<string[]>(
      (all, names) =>
        all.length === 0 ? names : all.flatMap((one) => names.map((name) => `${one} · ${name}`)),
      [],
    );
}

/** The names that a shape gives its outcomes; null where they have names of their own. */
export function shapeNames(shape: Shape | null, language: Language = ofPage): string[] | null {
  if (shape?.kind === "number")
    return shape.edges && numberNames(shape.edges, shape.unit ?? undefined);
  if (shape?.kind === "date") return dateNames(shape.edges, shape.zone ?? undefined);
  return shape?.kind === "joint" ? jointNames(shape.questions, language) : null;
}
