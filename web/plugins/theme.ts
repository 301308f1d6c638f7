// The one script that runs before the first paint: a file of its own, since the CSP forbids inline scripts.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { transformWithOxc, type Plugin } from "vite";

const SOURCE = join(import.meta.dirname, "../src/theme-script.js");

export function themeScript(): Plugin {
  let built = "";
  return {
    name: "foreknow-theme-script",
    async buildStart() {
      const code = readFileSync(SOURCE, "utf8");
      built = (await transformWithOxc(code, SOURCE)).code;
    },
    generateBundle() {
      this.emitFile({ type: "asset", fileName: fileName(built), source: built });
    },
    transformIndexHtml: {
      order: "post",
      handler: (_html, context) => [
        {
          tag: "script",
          attrs: { src: context.server ? "/src/theme-script.js" : `/${fileName(built)}` },
          injectTo: "head-prepend",
        },
      ],
    },
  };
}

function fileName(code: string): string {
  return `assets/theme-${createHash("sha256").update(code).digest("hex").slice(0, 8)}.js`;
}
