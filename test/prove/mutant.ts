/** A script with a small error in it, which a proof must notice. */
export type Mutant = { readonly name: string; readonly from: string; readonly to: string }

export function mutant(name: string, from: string, to: string): Mutant {
  return { name, from, to }
}

/** The script with one error in it. One that no longer applies must not pass for a caught one. */
export function mutate(script: string, { name, from, to }: Mutant): string {
  if (script.split(from).length !== 2) throw new Error(`the mutant does not apply once: ${name}`)
  return script.replace(from, () => to)
}
