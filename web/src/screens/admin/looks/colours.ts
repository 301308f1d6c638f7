// The colours of a theme, and whether text in them can be read: WCAG 2.2, contrast ratio. The service checks the same
// (src/foreknow/site/looks/parts.py).
export const CONTRAST_MIN = 4.5;
/** What text is drawn on: src/styles/tokens.css. */
const GROUNDS = {
  light: ["#f5f7f4", "#ffffff", "#eaefea"],
  dark: ["#0e1412", "#161e1b", "#0a0f0d", "#08110f"],
} as const;

export type Ground = keyof typeof GROUNDS;

/** The least contrast of a colour #rrggbb to the grounds of light or dark pages. */
export function worstContrast(colour: string, ground: Ground): number {
  return Math.min(...GROUNDS[ground].map((each) => contrast(colour, each)));
}

function contrast(one: string, other: string): number {
  const a = luminance(one);
  const b = luminance(other);
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

function luminance(colour: string): number {
  const linear = (from: number): number => {
    const share = parseInt(colour.slice(from, from + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(1) + 0.7152 * linear(3) + 0.0722 * linear(5);
}
