// Scores as they are written: with a sign, to a tenth.
import { language } from "../lib/i18n.ts";

const tenths = new Intl.NumberFormat(language, {
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
  signDisplay: "exceptZero",
});

/** "+3.2", "−1.0", "0.0". */
export function scoreText(score: number): string {
  return tenths.format(Math.abs(score) < 0.05 ? 0 : score).replace("-", "−");
}

export function scoreLook(score: number): "up" | "down" | "" {
  if (Math.abs(score) < 0.05) return "";
  return score > 0 ? "up" : "down";
}
