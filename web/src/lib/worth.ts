import type { Schemas } from "../api/client.ts";
import { roundAxis } from "./profit.ts";

export const WORTH_RANGES = ["1m", "1y", "all"] as const;
export type WorthRange = (typeof WORTH_RANGES)[number];

export interface WorthLine {
  /** Unix seconds, growing. */
  times: number[];
  /** Kopecks: what one had, and how much of it was given. */
  worth: number[];
  added: number[];
}

/** The days of a chart and now, with what one has now in place of what it was when they were read. */
export function worthLine(
  points: readonly Schemas["WorthChartPoint"][],
  totalKopecks: number | undefined,
): WorthLine {
  const line = new Map(
    points.map(({ at, worth_kopecks, added_kopecks }, index) => [
      Math.floor(Date.parse(at) / 1000),
      {
        worth: index === points.length - 1 ? (totalKopecks ?? worth_kopecks) : worth_kopecks,
        added: added_kopecks,
      },
    ]),
  );
  const values = [...line.values()];
  return {
    times: [...line.keys()],
    worth: values.map(({ worth }) => worth),
    added: values.map(({ added }) => added),
  };
}

/** Ends of the axis: round amounts around both lines, not from zero, so that a change shows. */
export function worthAxis({ worth, added }: WorthLine): { least: number; most: number } {
  return roundAxis(Math.min(...worth, ...added), Math.max(...worth, ...added));
}
