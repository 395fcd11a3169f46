import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { precompress } from './precompress.ts'
import { slimIcons } from './slim-icons.ts'
import { smallPreload } from './small-preload.ts'

// What every page needs is one file: it compresses better than pieces, and nothing waits for the
// next piece. A part that only some pages use stays with them.
const SHELL = new RegExp(
  [
    'node_modules/(react|react-dom|scheduler)/',
    'node_modules/@tanstack/(?!.*(mutationObserver|useMutation|nfiniteQuery(Observer|\\.)))',
    'web/src/(routes/|format/clock\\.)',
    'web/src/api/(?!passkeys|use-(api|list|live-limits|secret-change))',
    'web/src/shell/(?!confirm-dialog|currency|destinations|go-to|member-names|o(perator|ther)-|' +
      'shortcuts)',
    'web/src/(router|main)\\.',
    'web/src/words/(everywhere|shell)\\.',
    'web/src/parts/(button|copy|create-icon|menu|now|states|tag|toast)\\.',
    'src/tenancy/(permissions|role)\\.',
  ].join('|'),
)

// `base` is relative, so that the files work below any path; the server writes the path into
// index.html. Nothing is inlined: the Content Security Policy allows files of this origin only.
// oxlint-disable-next-line import/no-default-export -- Vite reads it
export default defineConfig({
  base: './',
  plugins: [react(), slimIcons(), smallPreload(), precompress()],
  resolve: {
    alias: {
      // Its form for browsers decodes `&amp;` with innerHTML, which Trusted Types forbid: Markdown
      // with an entity would end in an error.
      'decode-named-character-reference': fileURLToPath(
        new URL('../node_modules/decode-named-character-reference/index.js', import.meta.url),
      ),
      'use-sync-external-store/shim/with-selector': fileURLToPath(
        new URL('src/shell/with-selector.ts', import.meta.url),
      ),
    },
  },
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    manifest: true,
    // The list of what each page needs would be in the shell.
    modulePreload: false,
    rolldownOptions: {
      output: {
        codeSplitting: { groups: [{ name: 'shell', test: SHELL }] },
        // The shell names the files of every page, so short names make it smaller.
        chunkFileNames: 'assets/[hash:7].js',
        assetFileNames: 'assets/[hash:7][extname]',
      },
    },
  },
})
