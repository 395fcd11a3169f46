import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'

const ICON = /lucide-react\/dist\/esm\/icons\/[\w-]+\.mjs$/
const CREATE = fileURLToPath(new URL('src/parts/create-icon.ts', import.meta.url))

/**
 * Icons are drawn by `create-icon.ts`. Their names and the keys of their lines are dropped: nobody
 * reads them, and random keys hardly compress.
 */
export function slimIcons(): Plugin {
  return {
    name: 'slim-icons',
    transform(code, id) {
      if (!ICON.test(id)) return null
      return code
        .replace(
          "import createLucideIcon from '../createLucideIcon.mjs'",
          `import { createIcon as createLucideIcon } from ${JSON.stringify(CREATE)}`,
        )
        .replaceAll(/,\s*key: "\w+"/g, '')
        .replace(/name: "[\w-]+",/, '')
        .replace(/,\s*aliases: \[[^\]]*\]/, '')
    },
  }
}
