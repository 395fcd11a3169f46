/** The model was removed after the request began. */
export class NoSuchModel extends Error {
  override readonly name = 'NoSuchModel'
}
