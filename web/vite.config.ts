import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";
import { licences } from "./plugins/licences.ts";
import { messages } from "./plugins/messages.ts";
import { reached } from "./plugins/reached.ts";
import { themeScript } from "./plugins/theme.ts";

/** What other screens may share with the first page. */
const ofHome = new Set(
  [...reached("screens/home/Home.svelte").keys()].filter((path) => !path.includes("/screens/")),
);
/** What several parts share and is hardly larger than the head of an answer. */
const SMALL =
  /\/(@messageformat\/runtime|make-plural)\/|\/(NotFound|Countdown|FootBar|ReportButton|SignedOut|GuardChoice)\.svelte|\/behind\.svelte\.ts/;
/** As small, and built of what comes with cards. */
const WITH_CARDS =
  /\/((own-orders|trade-moved|phase|forecasts\/asked|forecasts\/hidden)\.ts|(Figures|Later)\.svelte)/;
/** What a number's page shares with its slip and with forecasts; its charts over time come when they are shown. */
const NUMBER = /\/web\/src\/number\/(?!fan|Fan|held|typed|BeliefFields)/;
const service = process.env.FOREKNOW_SERVICE ?? "http://127.0.0.1:8000";

export default defineConfig({
  plugins: [themeScript(), messages(), svelte(), licences()],
  build: {
    outDir: "../src/foreknow/site/client/dist",
    emptyOutDir: true,
    target: ["chrome123", "firefox121", "safari17.5"], // the first with light-dark()
    assetsInlineLimit: 0, // the CSP allows no data: fonts
    modulePreload: { polyfill: false },
    // Few files: what compresses together is smaller, and comes sooner.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: "base", tags: ["$initial"] },
            { name: "small", test: SMALL },
            {
              name: "cards",
              test: (id) => ofHome.has(id.split("?")[0] ?? "") || WITH_CARDS.test(id),
            },
            { name: "number", test: NUMBER, minShareCount: 2 },
            { name: "shared", test: /\/web\/src\/(?!sign-in\/)/, minShareCount: 4 },
            { name: "access", test: /\/web\/src\/sign-in\//, minShareCount: 2 },
          ],
        },
      },
    },
    reportCompressedSize: false,
  },
  server: {
    proxy: {
      // The Host stays: the service compares it with the Origin.
      "/api": { target: service, ws: true },
      "/images": { target: service },
    },
  },
});
