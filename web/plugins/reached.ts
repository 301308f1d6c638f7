// What comes with a module of the client: all that it imports, but not what it loads later by import("…").
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

export const SRC = join(import.meta.dirname, "../src");

/** The texts of these modules and of all that comes with them, by path. */
export function reached(...paths: string[]): Map<string, string> {
  const found = new Map<string, string>();
  const visit = (path: string): void => {
    if (found.has(path) || !/\.(ts|svelte)$/.test(path) || !existsSync(path)) return;
    const text = readFileSync(path, "utf8");
    found.set(path, text);
    for (const [, target = ""] of text.matchAll(/(?:^|\s|\})(?:from|import)\s+"(\.[^"]+)"/g))
      visit(join(dirname(path), target));
  };
  for (const path of paths) visit(join(SRC, path));
  return found;
}
