// Questions that are asked together: their names, and the combinations of their outcomes, which are a pool's markets.
import { language as ofPage, type Language } from "./i18n.ts";

export interface JointQuestion {
  name: string;
  name_ru?: string | null;
  outcomes: string[];
  outcomes_ru?: string[] | null;
}

const NAME_MOST = 200;

/** The questions of a pool; null of one that asks no several together. */
export function jointOf({ shape }: { shape?: object | null }): JointQuestion[] | null {
  if (!shape || !("questions" in shape) || !Array.isArray(shape.questions)) return null;
  return shape.questions as JointQuestion[];
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
export function combinations(questions: JointQuestion[], language: Language = ofPage): string[] {
  return questions
    .map((question) => questionOutcomes(question, language))
    .reduce<string[]>(
      (all, names) =>
        all.length === 0 ? names : all.flatMap((one) => names.map((name) => `${one} · ${name}`)),
      [],
    );
}

/** The names that the service gave, in the page's language; those that its creator chose stay. */
export function jointNames(questions: JointQuestion[], given: string[]): string[] {
  const isGiven = combinations(questions, "en").every(
    (name, index) => Array.from(name).slice(0, NAME_MOST).join("") === given[index],
  );
  return isGiven ? combinations(questions) : given;
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
