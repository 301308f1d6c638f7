// uPlot with our looks. Loaded with the first chart, not with the page.
import type uPlot from "uplot";
import { apart } from "./apart.ts";
import type { Line } from "./pool-charts.ts";

export interface Wanted {
  target: HTMLElement;
  times: number[];
  lines: Line[];
  least: number;
  most: number;
  format: (value: number) => string;
  formatAxis: (value: number) => string;
  height: number;
  area: boolean;
}

type OnPoint = (index: number | null, left: number) => void;

const FONT = '500 12px "Golos Text", sans-serif';
const LABEL_HEIGHT = 16;
/** Beside a label: the dot before it, and a gap behind it. */
const LABEL_SPACE = 14;
/** A value with as many digits as a label may get. */
const WIDEST = 0.888;

/** Draws into the target. Calls back with the moment under the pointer and its place (0…1) in the target. */
export async function draw(wanted: Wanted, onPoint: OnPoint): Promise<uPlot> {
  const { default: Plot } = await import("uplot");
  const colours = resolver(wanted.target);
  wanted.target.replaceChildren();
  return new Plot(options(wanted, Plot, colours, onPoint), dataOf(wanted), wanted.target);
}

export function dataOf({ times, lines }: Wanted): uPlot.AlignedData {
  return [times, ...lines.map(({ values }) => values)];
}

function options(
  wanted: Wanted,
  Plot: typeof uPlot,
  colour: (css: string) => string,
  onPoint: OnPoint,
): uPlot.Options {
  const { target, lines, height, area, formatAxis } = wanted;
  const paths = Plot.paths.stepped?.({ align: 1 });
  const isSeveral = lines.length > 1;
  const labels = isSeveral ? labelWidth(wanted) : 0;
  const axis: uPlot.Axis = {
    stroke: colour("var(--ink3)"),
    font: FONT,
    ticks: { show: false },
  };
  return {
    width: Math.max(1, target.clientWidth),
    height,
    padding: [12, labels || 12, 0, 0],
    legend: { show: false },
    cursor: {
      y: false,
      points: { size: 7 },
      drag: { x: false, y: false },
    },
    scales: { x: { time: true }, y: { range: range(wanted) } },
    axes: [
      { ...axis, grid: { show: false }, space: 90, size: 32, values: timeLabels(!isSeveral) },
      {
        ...axis,
        side: isSeveral ? 3 : 1,
        size: isSeveral ? 46 : 52,
        grid: { stroke: colour("var(--line)"), width: 1 },
        values: (_plot, values) => values.map(formatAxis),
      },
    ],
    series: [
      {},
      ...lines.map((line, index): uPlot.Series => ({
        label: line.name,
        stroke: colour(line.colour),
        width: 2,
        points: { show: false },
        ...(paths ? { paths } : {}),
        ...(area && index === 0 && !isSeveral ? { fill: faint(colour(line.colour)) } : {}),
      })),
    ],
    hooks: {
      draw: [
        (plot) => {
          drawEnds(plot, wanted, colour, labels);
        },
      ],
      setCursor: [
        ({ cursor, bbox, width }) => {
          const isOver =
            cursor.idx !== null && cursor.idx !== undefined && (cursor.left ?? -1) >= 0;
          const left = (bbox.left / devicePixelRatio + (cursor.left ?? 0)) / width;
          onPoint(isOver ? (cursor.idx ?? null) : null, left);
        },
      ],
    },
  };
}

/** The ends of the value axis; with least and most both 0, those of the values. */
function range({ least, most }: Wanted): uPlot.Scale.Range {
  if (least !== most) return [least, most];
  return (_plot, low, high) => {
    const space = Math.max(1, (high - low) * 0.08);
    return [Math.min(0, low - space), Math.max(0, high + space)];
  };
}

/** Days, hours or seconds, by the step; midnight is its day. An axis on the right needs room at its foot. */
function timeLabels(hasAxisOnRight: boolean): uPlot.Axis.Values {
  const locale = document.documentElement.lang === "ru" ? "ru" : "en-GB";
  const day = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short" });
  const hour = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit" });
  const second = new Intl.DateTimeFormat(locale, { timeStyle: "medium" });
  return (plot, values, _axis, _space, step) => {
    const right = plot.bbox.width / devicePixelRatio - (hasAxisOnRight ? 28 : 0);
    return values.map((value) => {
      const left = plot.valToPos(value, "x");
      if (left < 20 || left > right) return ""; // it would be cut, or meet the axis
      const time = new Date(value * 1000);
      const isMidnight = time.getHours() === 0 && time.getMinutes() === 0;
      const format = step >= 86_400 || isMidnight ? day : step >= 60 ? hour : second;
      return format.format(time).replace(".", "");
    });
  };
}

/** A dot at each line's end; with several lines its name and value beside it, moved apart where they would meet. */
function drawEnds(
  plot: uPlot,
  wanted: Wanted,
  colour: (css: string) => string,
  labels: number,
): void {
  const ratio = devicePixelRatio;
  const { ctx, bbox } = plot;
  const last = wanted.times.length - 1;
  const ends = wanted.lines
    .flatMap((line) => {
      const value = line.values[last];
      return value === null || value === undefined ? [] : [{ line, value }];
    })
    .map(({ line, value }) => ({ line, value, y: plot.valToPos(value, "y", true) }))
    .sort((one, other) => one.y - other.y);
  const x = plot.valToPos(wanted.times[last] ?? 0, "x", true);
  ctx.save();
  ctx.font = FONT.replace("12px", `${String(12 * ratio)}px`);
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  const places = apart(
    ends.map(({ y }) => y),
    LABEL_HEIGHT * ratio,
    bbox.top + bbox.height,
  );
  for (const [index, { line, value, y }] of ends.entries()) {
    ctx.fillStyle = colour(line.colour);
    ctx.strokeStyle = colour("var(--card)");
    ctx.lineWidth = 2 * ratio;
    ctx.beginPath();
    ctx.arc(x, y, 4 * ratio, 0, 2 * Math.PI);
    ctx.fill();
    ctx.stroke();
    if (ends.length === 1 && wanted.lines.length === 1) continue;
    const space = (labels - LABEL_SPACE) * ratio;
    const text = shortened(ctx, line.name, wanted.format(value), space);
    ctx.fillText(text, x + 8 * ratio, places[index] ?? y);
  }
  ctx.restore();
}

/** Name and value, the name cut where both are wider than the space. A name may be written from the right. */
function shortened(
  ctx: CanvasRenderingContext2D,
  name: string,
  value: string,
  width: number,
): string {
  const text = (shown: string) => `\u2068${shown}\u2069 ${value}`;
  if (ctx.measureText(text(name)).width <= width) return text(name);
  let letters = Array.from(name);
  while (letters.length > 1 && ctx.measureText(text(`${letters.join("")}…`)).width > width)
    letters = letters.slice(0, -1);
  return text(`${letters.join("")}…`);
}

/** What the widest label takes, up to a part of the chart. */
function labelWidth({ target, lines, format }: Wanted): number {
  const width = target.clientWidth;
  const most = width < 500 ? 96 : width < 800 ? 130 : 172;
  const ctx = document.createElement("canvas").getContext("2d");
  if (!ctx) return most;
  ctx.font = FONT;
  const texts = lines.map(({ name }) => ctx.measureText(`${name} ${format(WIDEST)}`).width);
  return Math.min(most, Math.ceil(Math.max(...texts)) + LABEL_SPACE);
}

/** A canvas knows no var() nor light-dark(): an element's computed colour does. */
function resolver(target: HTMLElement): (css: string) => string {
  const probe = document.createElement("i");
  probe.hidden = true;
  const known = new Map<string, string>();
  return (css) => {
    let found = known.get(css);
    if (found === undefined) {
      target.parentElement?.append(probe);
      probe.style.color = css;
      found = getComputedStyle(probe).color;
      probe.remove();
      known.set(css, found);
    }
    return found;
  };
}

/** "rgb(1, 2, 3)" at a twelfth of its strength. */
function faint(rgb: string): string {
  return rgb.replace(/^rgba?\(([^)]+)\)$/, (_whole, parts: string) => {
    const [red, green, blue] = parts.split(/[\s,/]+/);
    return `rgba(${red ?? "0"}, ${green ?? "0"}, ${blue ?? "0"}, 0.08)`;
  });
}
