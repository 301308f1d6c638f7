// What this site is called and shows, as its page brought it: known before the first paint.
export const PAGES = ["about", "rules", "terms", "privacy"] as const;
export type PageName = (typeof PAGES)[number];

interface Site {
  name: string;
  /** The address of its own logo, "" without one. */
  logo: string;
  pages: PageName[];
}

const PLAIN: Site = { name: "Foreknow", logo: "", pages: [] };

export const site = read(document.getElementById("site")?.textContent);

/** The page's own JSON; a page that has none is of a site without looks of its own. */
function read(text: string | undefined): Site {
  return text ? (JSON.parse(text) as Site) : PLAIN;
}
