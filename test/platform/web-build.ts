import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'

export const FAKE_SCRIPT = `/assets/main-Bx3k9QzW.js`
const SCRIPT = `import('../harness/processes/lazy-Cc2.js')\n`.repeat(20)

/** A folder with the files that a build of the web app has, and little in them. */
export function writeFakeBuild(): Disposable & { readonly folder: string } {
  const folder = mkdtempSync(join(tmpdir(), 'headrace-web-'))
  const write = (name: string, content: string | Buffer) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  const links = `<script type="module" src=".${FAKE_SCRIPT}"></script>`
  write('index.html', `<!doctype html><html><head>${links}</head><body>The app</body></html>`)
  write('index.de.html', `<!doctype html><html lang="de"><head>${links}</head></html>`)
  write('favicon.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>')
  write('.vite/manifest.json', '{}')
  write('assets/font-Aa1.woff2', Buffer.from('wOF2'))
  write(FAKE_SCRIPT.slice(1), SCRIPT)
  write(`${FAKE_SCRIPT.slice(1)}.br`, brotliCompressSync(SCRIPT))
  write(`${FAKE_SCRIPT.slice(1)}.gz`, gzipSync(SCRIPT))
  return { folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) }
}
