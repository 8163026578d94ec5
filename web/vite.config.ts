// The playground as a static folder, `target/web`: relative addresses, so that it may lie anywhere, and no request but for its files.
import { defineConfig } from "vite";
import { thumbnails } from "./thumbnails.mjs";

export default defineConfig({
  base: "./",
  plugins: [thumbnails("../target/web-module/")],
  build: { outDir: "../target/web", emptyOutDir: true, target: "es2022", modulePreload: { polyfill: false }, assetsInlineLimit: 0 },
  worker: { format: "es" },
});
