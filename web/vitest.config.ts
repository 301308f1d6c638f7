import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";
import { messages } from "./plugins/messages.ts";

export default defineConfig({
  plugins: [messages(), svelte()],
  test: { include: ["tests/**/*.test.ts"] },
});
