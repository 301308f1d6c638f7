import svelte from "eslint-plugin-svelte";
import globals from "globals";
import ts from "typescript-eslint";
import svelteConfig from "./svelte.config.js";

export default ts.config(
  { ignores: ["src/api/schema.d.ts", "src/api/live-schema.d.ts", "src/messages/types.d.ts"] },
  ...ts.configs.strict,
  ...ts.configs.stylistic,
  ...svelte.configs.recommended,
  {
    languageOptions: { globals: { ...globals.browser, ...globals.node } },
    rules: {
      "@typescript-eslint/consistent-type-imports": "error",
      "max-lines": ["error", { max: 400 }],
      "no-restricted-syntax": [
        "error",
        {
          selector: "SvelteAttribute[key.name='style']",
          message: "The CSP forbids style attributes: write style:--name={…} and use var(--name).",
        },
      ],
      "svelte/no-at-html-tags": "error",
      "svelte/require-each-key": "error",
      // Links are plain hrefs: the router handles clicks on those that it knows.
      "svelte/no-navigation-without-resolve": "off",
    },
  },
  {
    files: ["**/*.svelte", "**/*.svelte.ts"],
    languageOptions: { parserOptions: { parser: ts.parser, svelteConfig } },
  },
);
