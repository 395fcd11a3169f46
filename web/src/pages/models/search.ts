import { present, textOf, type RawSearch } from '../../shell/search.ts'

export function readModelsSearch(search: RawSearch) {
  return present({
    /** A part of the id. */
    q: textOf(search['q']),
    /** The model whose details are open. */
    model: textOf(search['model']),
  })
}

export type ModelsSearch = ReturnType<typeof readModelsSearch>
