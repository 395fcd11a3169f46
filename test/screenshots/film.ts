import type { Page } from 'playwright-core'
import { writeWebp, type Frame } from './write-webp.ts'

export type Film = {
  /** Shows what the page shows now for so long. */
  shoot(durationMs: number): Promise<void>
  readonly lengthMs: () => number
  readonly write: () => Buffer
}

type Size = { readonly width: number; readonly height: number }
type Changed = Omit<Frame, 'durationMs' | 'webp'> & { readonly webp: string }

/** Of 1. Text stays sharp, and a whole page has about 60 kB. */
const QUALITY = 0.9

/**
 * Compares a picture with the one before it and encodes the rectangle that differs. What does not
 * belong to the story, such as a clock, stays as it was in the first picture.
 */
const COMPARE = `(async ({ png, kept, quality }) => {
  const picture = await createImageBitmap(await (await fetch(png)).blob())
  const { width, height } = picture
  const canvas = new OffscreenCanvas(width, height)
  const context = canvas.getContext('2d', { alpha: false, willReadFrequently: true })
  context.drawImage(picture, 0, 0)
  globalThis.first ??= picture
  for (const { x, y, width, height } of kept)
    context.drawImage(first, x, y, width, height, x, y, width, height)
  const pixels = new Uint32Array(context.getImageData(0, 0, width, height).data.buffer)
  const before = globalThis.before
  globalThis.before = pixels
  let [left, top, right, bottom] = [width, height, 0, 0]
  if (before === undefined) [left, top, right, bottom] = [0, 0, width, height]
  if (before !== undefined)
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++)
        if (pixels[y * width + x] !== before[y * width + x]) {
          left = Math.min(left, x)
          right = Math.max(right, x + 1)
          top = Math.min(top, y)
          bottom = Math.max(bottom, y + 1)
        }
  if (right <= left) return null
  left -= left % 2
  top -= top % 2
  const part = new OffscreenCanvas(right - left, bottom - top)
  part.getContext('2d', { alpha: false }).drawImage(canvas, -left, -top)
  const blob = await part.convertToBlob({ type: 'image/webp', quality })
  const bytes = new Uint8Array(await blob.arrayBuffer())
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return { x: left, y: top, width: right - left, height: bottom - top, webp: btoa(text) }
})`

/** Films a page. The studio is an empty page of the same browser, whose encoder is used. */
export async function openFilm(page: Page, studio: Page, size: Size): Promise<Film> {
  const frames: Frame[] = []
  const clock = await page.locator('aside').getByText('Live ·').boundingBox()
  const kept = clock === null ? [] : [{ ...clock, width: clock.width + 8 }]
  return {
    async shoot(durationMs) {
      const taken = await page.screenshot()
      const png = `data:image/png;base64,${taken.toString('base64')}`
      const settings = JSON.stringify({ png, kept, quality: QUALITY })
      const changed = await studio.evaluate<Changed | null>(`${COMPARE}(${settings})`)
      const last = frames.at(-1)
      if (changed !== null)
        frames.push({ ...changed, webp: Buffer.from(changed.webp, 'base64'), durationMs })
      else if (last !== undefined)
        frames[frames.length - 1] = { ...last, durationMs: last.durationMs + durationMs }
    },
    lengthMs: () => frames.reduce((sum, { durationMs }) => sum + durationMs, 0),
    write: () => writeWebp(size, frames),
  }
}
