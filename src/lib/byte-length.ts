const encoder = new TextEncoder()

/** The bytes of a text in UTF-8. The web app uses it too, where there is no Buffer. */
export const byteLength: (text: string) => number =
  typeof Buffer === 'undefined'
    ? (text) => encoder.encode(text).length
    : (text) => Buffer.byteLength(text)
