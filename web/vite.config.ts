import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

// `base` is relative, so that the files work below any path; the server writes the path into
// index.html. Nothing is inlined: the Content Security Policy allows files of this origin only.
// oxlint-disable-next-line import/no-default-export -- Vite reads it
export default defineConfig({
  base: './',
  plugins: [react()],
  resolve: {
    alias: {
      // Its form for browsers decodes `&amp;` with innerHTML, which Trusted Types forbid: Markdown
      // with an entity would end in an error.
      'decode-named-character-reference': fileURLToPath(
        new URL('../node_modules/decode-named-character-reference/index.js', import.meta.url),
      ),
    },
  },
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    manifest: true,
    modulePreload: { polyfill: false },
  },
})
