// Several short questions that are asked together: their combinations are the outcomes of one pool.
import { answersAt, type JointQuestion } from "../../lib/joint.ts";
import { parsePercent } from "./numbers.ts";
import { wholeHundredths } from "./priors.ts";

/** As typed. */
export interface DraftAnswer {
  name: string;
  nameRu: string;
  /** In percent. */
  percent: string;
}
export interface DraftQuestion {
  name: string;
  nameRu: string;
  outcomes: DraftAnswer[];
}

export const QUESTIONS_MOST = 6;
export const ANSWERS_MOST = 50;
export const CELLS_MOST = 100;
/** The part of all that is unknown which makes one question all that matters. */
const ALL_OF_IT = 0.95;

/** What the most usual answers are called in Russian. */
const RUSSIAN: Record<string, string> = { Yes: "Да", No: "Нет" };

/** Keeps the Russian name of a usual answer beside its English one, and none that belonged to the one before. */
export function renamed(answer: DraftAnswer): void {
  const known = RUSSIAN[answer.name.trim()] ?? "";
  if (answer.nameRu === "" || Object.values(RUSSIAN).includes(answer.nameRu)) answer.nameRu = known;
}

const answer = (name = "", nameRu = ""): DraftAnswer => ({ name, nameRu, percent: "50" });

export function newQuestion(): DraftQuestion {
  return {
    name: "",
    nameRu: "",
    outcomes: Object.entries(RUSSIAN).map(([name, russian]) => answer(name, russian)),
  };
}

export function addAnswer(question: DraftQuestion): void {
  question.outcomes.push({ ...answer(), percent: "" });
}

export function cellCount(questions: DraftQuestion[]): number {
  return questions.reduce((product, { outcomes }) => product * outcomes.length, 1);
}

/** The question with the most outcomes, which to shorten where there are too many combinations. */
export function longestQuestion(questions: DraftQuestion[]): DraftQuestion | undefined {
  return questions.toSorted((one, other) => other.outcomes.length - one.outcomes.length)[0];
}

/** Chances of the combinations where no question tells anything of another; null where one's do not add up to 100 %. */
export function independentPriors(questions: DraftQuestion[]): number[] | null {
  let product = [1];
  for (const { outcomes } of questions) {
    const typed = outcomes.map(({ percent }) => parsePercent(percent));
    if (!typed.every((one) => one !== null && one > 0) || sumOf(outcomes) !== 10_000) return null;
    product = product.flatMap((chance) => typed.map((one) => (chance * (one ?? 0)) / 10_000));
  }
  return wholeHundredths(product);
}

export function sumOf(outcomes: { percent: string }[]): number {
  return outcomes.reduce((sum, { percent }) => sum + (parsePercent(percent) ?? 0), 0);
}

/** Chances of the combinations as typed, one by one. */
export function cellPriors(cells: string[], count: number): number[] | null {
  const typed = Array.from({ length: count }, (_, index) => parsePercent(cells[index] ?? ""));
  const sum = typed.reduce<number>((total, one) => total + (one ?? 0), 0);
  if (sum !== 10_000 || !typed.every((one) => one !== null && one > 0)) return null;
  return typed.map((one) => (one ?? 0) / 10_000);
}

/** The chances of each question's outcomes by those of the combinations. */
export function margins(priors: number[], sizes: number[]): number[][] {
  const found = sizes.map((size) => Array.from({ length: size }, () => 0));
  priors.forEach((prior, index) => {
    answersAt(index, sizes).forEach((chosen, question) => {
      const row = found[question];
      if (row) row[chosen] = (row[chosen] ?? 0) + prior;
    });
  });
  return found;
}

/** The index of the question in which nearly all that is unknown lies: a plain list of its outcomes would do. Else −1. */
export function onlyOpenQuestion(priors: number[], sizes: number[]): number {
  const entropies = margins(priors, sizes).map((row) =>
    row.reduce((sum, chance) => (chance > 0 ? sum - chance * Math.log(chance) : sum), 0),
  );
  const total = entropies.reduce((sum, one) => sum + one, 0);
  return entropies.findIndex((one) => one > total * ALL_OF_IT);
}

/** The questions as the service takes them. */
export function shapeQuestions(questions: DraftQuestion[]): JointQuestion[] {
  return questions.map(({ name, nameRu, outcomes }) => ({
    name: name.trim(),
    ...(nameRu.trim() ? { name_ru: nameRu.trim() } : {}),
    outcomes: outcomes.map((one) => one.name.trim()),
    ...(outcomes.some((one) => one.nameRu.trim())
      ? { outcomes_ru: outcomes.map((one) => one.nameRu.trim() || one.name.trim()) }
      : {}),
  }));
}
