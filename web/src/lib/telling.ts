// Names that begin alike, where there is little space.

/** Of this length a name fits a card. */
const FITS = 40;
/** Words that stay of those that others begin with, too. */
const KEPT = 2;
/** Fewer characters are not worth leaving out. */
const LEAST = 12;

/** Names where each that begins as another does says sooner what it alone says: "Will the … in May?". */
export function tellingNames(names: readonly string[]): string[] {
  const words = names.map((name) => name.split(/\s+/u));
  return names.map((name, index) => {
    const own = words[index] ?? [];
    if (name.length <= FITS) return name;
    const shared = Math.max(
      0,
      ...words.map((other, at) => (at === index ? 0 : sharedWords(own, other))),
    );
    if (
      shared === own.length ||
      shared <= KEPT ||
      own.slice(KEPT, shared - 1).join(" ").length < LEAST
    )
      return name;
    // The last word that is shared leads to what is not: "in May?".
    return [...own.slice(0, KEPT), "…", ...own.slice(shared - 1)].join(" ");
  });
}

function sharedWords(one: readonly string[], other: readonly string[]): number {
  const at = one.findIndex((word, index) => word !== other[index]);
  return at === -1 ? one.length : at;
}
