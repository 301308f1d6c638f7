// A picture of one's own position: 1200 × 630 pixels, as links are shown elsewhere. It says no amount.
import { site } from "../../lib/site.ts";

export interface PositionFacts {
  question: string;
  /** "Yes · Reds". */
  side: string;
  isYes: boolean;
  /** Chances of the side, 0 to 1: at the price that was paid, and now or as it was decided. */
  bought: number;
  now: number;
  /** The same in words. */
  boughtText: string;
  nowText: string;
  /** Who holds it; "" where they do not say. */
  name: string;
}

export const WIDTH = 1_200;
export const HEIGHT = 630;
const LEFT = 72;
const RIGHT = WIDTH - LEFT;
const FAMILY = '"Golos Text", system-ui, sans-serif';
const MARK = "M1 18h28M1 18v-5M8 18v-4M15 18v-7M22 18v-4M29 18v-5";

interface Room {
  width: number;
  /** Lines at most. */
  most: number;
  measure: (text: string) => number;
}

/** A text in lines: broken between words, inside of one that is longer than a line; the last ends on "…" where there is more. */
export function linesOf(text: string, { width, most, measure }: Room): string[] {
  const lines: string[] = [];
  let line = "";
  const fits = (one: string) => measure(one) <= width;
  for (const word of text.split(/\s+/u)) {
    const longer = line ? `${line} ${word}` : word;
    if (fits(longer)) {
      line = longer;
      continue;
    }
    if (line) lines.push(line);
    line = "";
    for (const letter of word) {
      if (line && !fits(line + letter)) {
        lines.push(line);
        line = "";
      }
      line += letter;
    }
  }
  if (line) lines.push(line);
  if (lines.length <= most) return lines;
  const last = Array.from(lines[most - 1] ?? "");
  while (last.length > 0 && !fits(`${last.join("").trimEnd()}…`)) last.pop();
  return [...lines.slice(0, most - 1), `${last.join("").trimEnd()}…`];
}

/** Draws it in the colours that the page has. */
export async function draw(canvas: HTMLCanvasElement, facts: PositionFacts): Promise<void> {
  const words = [site.name, location.host, ...Object.values(facts)].join(" ");
  const fonts = ["400", "600"].map(async (weight) =>
    document.fonts.load(`${weight} 32px ${FAMILY}`, words),
  );
  const [logo] = await Promise.all([logoOf(), ...fonts]);
  const pen = canvas.getContext("2d");
  if (!pen) return;
  const colour = (name: string): string => {
    canvas.style.color = `var(--${name})`;
    return getComputedStyle(canvas).color;
  };
  const write = (text: string, font: string, name: string): void => {
    pen.font = `${font} ${FAMILY}`;
    pen.fillStyle = colour(name);
    pen.fillText(text, 0, 0);
  };
  const at = (x: number, y: number, paint: () => void): void => {
    pen.save();
    pen.translate(x, y);
    paint();
    pen.restore();
  };
  const side = facts.isYes ? "yes" : "no";

  pen.fillStyle = colour("card");
  pen.fillRect(0, 0, WIDTH, HEIGHT);
  pen.fillStyle = colour("accent");
  pen.fillRect(0, 0, WIDTH, 10);

  if (logo) pen.drawImage(logo, LEFT, 54, (logo.width / logo.height) * 44, 44);
  else
    at(LEFT, 54, () => {
      pen.scale(2, 2);
      pen.lineWidth = 1.6;
      pen.strokeStyle = colour("ink");
      pen.stroke(new Path2D(MARK));
      pen.lineWidth = 3;
      pen.strokeStyle = colour("accent");
      pen.stroke(new Path2D("M19 18V1"));
    });
  const nameAt = LEFT + (logo ? (logo.width / logo.height) * 44 : 60) + 20;
  at(nameAt, 91, () => {
    write(site.name, "600 36px", "ink");
  });
  at(RIGHT, 91, () => {
    pen.textAlign = "right";
    pen.font = `400 30px ${FAMILY}`;
    const room = { width: 480, most: 1, measure: (text: string) => pen.measureText(text).width };
    write(linesOf(facts.name, room)[0] ?? "", "400 30px", "ink2");
  });

  pen.font = `600 54px ${FAMILY}`;
  const measure = (text: string) => pen.measureText(text).width;
  const lines = linesOf(facts.question, { width: RIGHT - LEFT, most: 3, measure });
  lines.forEach((line, index) => {
    at(LEFT, 184 + index * 64, () => {
      write(line, "600 54px", "ink");
    });
  });

  const pill = 184 + (lines.length - 1) * 64 + 30;
  pen.font = `600 32px ${FAMILY}`;
  const text = linesOf(facts.side, { width: RIGHT - LEFT - 48, most: 1, measure })[0] ?? "";
  pen.fillStyle = colour(`${side}wash`);
  pen.beginPath();
  pen.roundRect(LEFT, pill, measure(text) + 48, 56, 10);
  pen.fill();
  at(LEFT + 24, pill + 39, () => {
    write(text, "600 32px", side);
  });

  const place = (chance: number) => LEFT + chance * (RIGHT - LEFT);
  const ruler = 478;
  pen.fillStyle = colour("rule");
  pen.fillRect(LEFT, ruler, RIGHT - LEFT, 2);
  for (let tenth = 0; tenth <= 10; tenth++)
    pen.fillRect(place(tenth / 10) - 1, ruler, 2, tenth % 5 === 0 ? 16 : 10);
  pen.fillStyle = colour(side);
  pen.fillRect(LEFT, ruler - 18, place(facts.now) - LEFT, 16);
  pen.fillStyle = colour("ink");
  pen.fillRect(place(facts.now) - 3, ruler - 30, 6, 42);
  pen.lineWidth = 3;
  pen.strokeStyle = colour("ink3");
  pen.fillStyle = colour("card");
  pen.beginPath();
  pen.roundRect(place(facts.bought) - 6, ruler - 26, 12, 32, 6);
  pen.fill();
  pen.stroke();

  at(LEFT, 546, () => {
    write(facts.boughtText, "400 32px", "ink2");
  });
  at(RIGHT, 546, () => {
    pen.textAlign = "right";
    write(facts.nowText, "600 40px", "ink");
  });
  at(LEFT, 598, () => {
    write(location.host, "400 24px", "ink3");
  });
}

/** The site's logo; null where it has none, or where it cannot be drawn. */
async function logoOf(): Promise<HTMLImageElement | null> {
  if (!site.logo) return null;
  const image = new Image();
  image.crossOrigin = "anonymous"; // a picture that another host does not lend would lock the canvas
  image.src = site.logo;
  return image.decode().then(
    () => image,
    () => null,
  );
}
