// Lists the packages of which the built client holds a part, with the text of their licences, in licences.txt.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";

/** Where a module's package is, and its name. */
const OF_PACKAGE = /^(.*\/node_modules\/((?:@[^/]+\/)?[^/]+))\//;
const HEAD = "The web client contains these packages, or parts of them.";

interface About {
  name: string;
  version: string;
  license: string;
}

export function licences(): Plugin {
  return {
    name: "foreknow-licences",
    generateBundle(_options, bundle) {
      const folders = new Map<string, string>();
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== "chunk") continue;
        for (const id of chunk.moduleIds) {
          const found = OF_PACKAGE.exec(id.replace(/^\0/, ""));
          if (found?.[1] && found[2]) folders.set(found[2], found[1]);
        }
      }
      const parts = [...folders]
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([, folder]) => part(folder));
      this.emitFile({
        type: "asset",
        fileName: "licences.txt",
        source: [HEAD, ...parts].join("\n\n") + "\n",
      });
    },
  };
}

/** Names a package as `bill_of_materials` of hatch_build.py reads it, with its licence's text. */
function part(folder: string): string {
  const about = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as About;
  const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
  const text =
    file !== undefined && existsSync(join(folder, file))
      ? readFileSync(join(folder, file), "utf8").trim()
      : "";
  return `== ${about.name} ${about.version} ${about.license}\n\n${text}`.trim();
}
