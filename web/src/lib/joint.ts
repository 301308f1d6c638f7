// Questions that are asked together: their names, and the combinations of their outcomes, which are a pool's markets.
import { language as ofPage, t, type Language } from "./i18n.ts";

export interface JointQuestion {
  name: string;
  name_ru?: string | null;
  outcomes: string[];
  outcomes_ru?: string[] | null;
}

/** Both by their index. */
export interface Answer {
  question: number;
  outcome: number;
}

const NAME_MOST = 200;
/** Answers that say nothing without their question. */
const BARE = /^(yes|no|да|нет)$/iu;
/** Of those that their creator did not name in Russian. */
const RUSSIAN: Partial<Record<string, string>> = { yes: "Да", no: "Нет" };

/** The questions of a pool; null of one that asks no several together. */
export function jointOf({ shape }: { shape?: object | null }): JointQuestion[] | null {
  if (!shape || !("questions" in shape) || !Array.isArray(shape.questions)) return null;
  return shape.questions as JointQuestion[];
}

/** A question's name in the page's language. */
export function questionName(question: JointQuestion, language: Language = ofPage): string {
  return (language === "ru" && question.name_ru) || question.name;
}

/** Which outcome of a question is its Yes, where Yes and No are all it has; -1 else. */
export function yesOf({ outcomes }: JointQuestion): number {
  if (outcomes.length !== 2 || !outcomes.every((name) => BARE.test(name))) return -1;
  return outcomes.findIndex((name) => /^(yes|да)$/iu.test(name));
}

/** The outcomes of a question in the page's language. */
export function questionOutcomes(
  { outcomes, outcomes_ru }: JointQuestion,
  language: Language = ofPage,
): string[] {
  if (language !== "ru") return outcomes;
  return outcomes.map(
    (name, index) => outcomes_ru?.[index] || (RUSSIAN[name.toLowerCase()] ?? name),
  );
}

/** The combinations of the questions' outcomes, the last question's changing fastest. */
export function combinations(questions: JointQuestion[], language: Language = ofPage): string[] {
  return questions
    .map((question) => questionOutcomes(question, language))
    .reduce<string[]>(
      (all, names) =>
        all.length === 0 ? names : all.flatMap((one) => names.map((name) => `${one} · ${name}`)),
      [],
    );
}

/**
 * The names that the service gave, in the page's language, where Yes and No with what they answer; those that its
 * creator chose stay.
 */
export function jointNames(questions: JointQuestion[], given: string[]): string[] {
  const isGiven = combinations(questions, "en").every(
    (name, index) => Array.from(name).slice(0, NAME_MOST).join("") === given[index],
  );
  if (!isGiven) return given;
  const sizes = questions.map(({ outcomes }) => outcomes.length);
  return given.map((_, index) =>
    answerNames(
      questions,
      answersAt(index, sizes).map((outcome, question) => ({ question, outcome })),
    ),
  );
}

/** Where the combination of an index stands: one outcome a question. */
export function answersAt(index: number, sizes: readonly number[]): number[] {
  const answers: number[] = [];
  for (const size of sizes.toReversed()) {
    answers.unshift(index % size);
    index = Math.floor(index / size);
  }
  return answers;
}

/** An answer by itself: with its question where it says nothing alone. */
export function answerName(questions: JointQuestion[], { question, outcome }: Answer): string {
  const asked = questions[question];
  if (!asked) return "";
  const name = questionOutcomes(asked)[outcome] ?? "";
  const about = questionName(asked).replace(/[?\s]+$/u, "");
  return BARE.test(name) ? `${about}: ${name}` : name;
}

export function answerNames(questions: JointQuestion[], answers: readonly Answer[]): string {
  return answers.map((answer) => answerName(questions, answer)).join(" · ");
}

/**
 * What an order bought: "B, if A", where outcomes outside of the condition give the stake back. "" where these outcomes
 * have no name together.
 */
export function betName(questions: JointQuestion[], bought: number[], outside: number[]): string {
  const sizes = questions.map(({ outcomes }) => outcomes.length);
  const count = sizes.reduce((product, size) => product * size, 1);
  const given = Array.from({ length: count }, (_, index) => index).filter(
    (index) => !outside.includes(index),
  );
  const when = shared(given, sizes);
  const [then, not] = [bought, given.filter((index) => !bought.includes(index))].map((cells) =>
    shared(cells, sizes)?.filter(({ question }) => !when?.some((one) => one.question === question)),
  );
  if (!when || (!then && !not)) return "";
  const names = answerNames(questions, then ?? not ?? []);
  const text = then ? names : t("common.not_so", { name: names });
  return when.length > 0
    ? t("common.then_if", { then: text, when: answerNames(questions, when) })
    : text;
}

/** The answers that all of these outcomes have, where they are all outcomes that have them; null where they are not. */
function shared(cells: number[], sizes: number[]): Answer[] | null {
  const found = cells.map((index) => answersAt(index, sizes));
  const [first] = found;
  if (!first) return null;
  const answers = first.flatMap((outcome, question) =>
    found.every((one) => one[question] === outcome) ? [{ question, outcome }] : [],
  );
  const rest = sizes.reduce(
    (product, size, at) =>
      answers.some(({ question }) => question === at) ? product : product * size,
    1,
  );
  return rest === cells.length ? answers : null;
}
