/** A part of a picture that changed, as the only chunk of a WebP file. */
export type Frame = {
  /** Both even: the format counts pairs of pixels. */
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly webp: Buffer
  readonly durationMs: number
}

type Size = { readonly width: number; readonly height: number }

/** Bytes before the chunks of a file: `RIFF`, the length, `WEBP`. */
const HEAD_BYTES = 12
const ANIMATED = 0x02
/** A frame replaces what is below it. */
const NOT_BLENDED = 0x02

/** One animated WebP file, repeated for ever, of pictures that are encoded already. */
export function writeWebp({ width, height }: Size, frames: readonly Frame[]): Buffer {
  const size = Buffer.concat([
    Buffer.from([ANIMATED, 0, 0, 0]),
    uint24(width - 1),
    uint24(height - 1),
  ])
  const forEver = Buffer.from([255, 255, 255, 255, 0, 0])
  const chunks = [chunk('VP8X', size), chunk('ANIM', forEver), ...frames.map(writeFrame)]
  return chunk('RIFF', Buffer.concat([Buffer.from('WEBP'), ...chunks]))
}

function writeFrame({ x, y, width, height, webp, durationMs }: Frame): Buffer {
  const place = [x / 2, y / 2, width - 1, height - 1, durationMs].map(uint24)
  const head = Buffer.concat([...place, Buffer.from([NOT_BLENDED])])
  return chunk('ANMF', Buffer.concat([head, pixelsOf(webp)]))
}

/** The chunk with the pixels; others of the file, such as a colour profile, are left out. */
function pixelsOf(file: Buffer): Buffer {
  for (let at = HEAD_BYTES; at < file.length;) {
    const end = at + 8 + file.readUInt32LE(at + 4)
    if (/^VP8[ L]$/.test(file.toString('latin1', at, at + 4)))
      return file.subarray(at, end + (end % 2))
    at = end + (end % 2)
  }
  throw new Error('the frame has no pixels')
}

function chunk(name: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8)
  head.write(name, 'latin1')
  head.writeUInt32LE(data.length, 4)
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)])
}

function uint24(value: number): Buffer {
  const bytes = Buffer.alloc(3)
  bytes.writeUIntLE(value, 0, 3)
  return bytes
}
