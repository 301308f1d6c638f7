import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";
import { messages } from "./plugins/messages.ts";

export default defineConfig({
  plugins: [messages(), svelte()],
  // However busy the machine is.
  test: { include: ["tests/**/*.test.ts"], testTimeout: 120_000 },
});
