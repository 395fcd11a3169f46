// No text of a request becomes a control token in the tokenizers of 22 models.
// covers: src/engines/adapters/**
import { keepText, type Neutralise } from '../../src/engines/adapters/neutralise.ts'
import { createVocabulary, selectControlTokens } from '../../src/engines/adapters/vocabulary.ts'
import { tokensIn } from '../../src/lib/vocabulary/read-vocabulary.ts'
import { runProof, type Figures, type ProofRun } from '../harness/proof.ts'
import {
  openTokenizer,
  TOKENIZERS,
  tokenizerFile,
  type KnownTokenizer,
} from '../harness/engines/tokenizers.ts'
import { proveOnLlama } from './control-tokens/llama.ts'
import { renderRequest } from './control-tokens/render.ts'
import { ATTACKS } from './control-tokens/texts.ts'

const SHORT_STEP = 4
const SHORT_ENGINES = ['MiniMax-M2', 'Seed-OSS', 'GLM-4.7']
const ENGINE_STEP = 5

type Judge = (text: string, neutralise: Neutralise) => string[]

/** Finds the parts of a rendered request that the tokenizer sees control tokens in. */
function createJudge({ tokens }: KnownTokenizer, idsOf: (text: string) => number[]): Judge {
  const control = new Set(tokens.map(({ id }) => id))
  const hasControl = (text: string) => idsOf(text).some((id) => control.has(id))
  return (text, neutralise) => {
    const parts = renderRequest(text, neutralise)
    return hasControl(parts.join('\n')) ? parts.filter(hasControl) : []
  }
}

type Result = { readonly cases: number; readonly alive: number; readonly survived: number }

function proveTokenizer(run: ProofRun, known: KnownTokenizer): Result {
  const file = tokenizerFile(known)
  const judge = createJudge(known, openTokenizer(file).idsOf)
  const vocabulary = createVocabulary()
  if (!vocabulary.learn(selectControlTokens(tokensIn(file))))
    run.fail(`${known.model}: its vocabulary is refused`)
  const { texts } = known
  const cases = chooseCases(run, texts)
  let survived = 0
  for (const { token, name, text } of cases) {
    const [found] = judge(text, vocabulary.neutralise)
    if (found === undefined) continue
    survived += 1
    run.fail(`${known.model}: ${token} ${name} survives in ${JSON.stringify(found)}`)
  }
  // The judge itself: without the protection every token is seen.
  const alive = texts.filter((token) => judge(token, keepText).length > 0).length
  if (alive < texts.length) run.fail(`${known.model}: a token is not seen without the protection`)
  if (judge('a word', vocabulary.neutralise).length > 0)
    run.fail(`${known.model}: a harmless text has control tokens`)
  return { cases: cases.length, alive, survived }
}

/** Every attack with every token, or in the short form every fourth, which changes by token. */
function chooseCases({ short }: ProofRun, tokens: readonly string[]) {
  return tokens.flatMap((token, place) => {
    const other = tokens[(place + 1) % tokens.length] ?? token
    const built = ATTACKS.map((one) => ({ token, name: one.name, text: one.build(token, other) }))
    // Many attacks leave a token as it is: those of full width, for example, a token without bars.
    const different = [...new Map(built.map((one) => [one.text, one])).values()]
    return different.filter((_, index) => !short || (place + index) % SHORT_STEP === 0)
  })
}

/** A share of the cases: a real engine takes longer. The short form starts fewer engines. */
async function proveEngines(run: ProofRun): Promise<{ cases: number; onlyInFile: number }> {
  const chosen = TOKENIZERS.filter(({ model }) => !run.short || SHORT_ENGINES.includes(model))
  let [cases, onlyInFile] = [0, 0]
  for (const known of chosen) {
    const texts = chooseCases(run, known.texts).map(({ text }) => text)
    const attacks = texts.filter((_, index) => index % ENGINE_STEP === 0)
    const result = await proveOnLlama(known, [...known.texts, ...attacks])
    for (const problem of result.problems) run.fail(`llama-server as ${known.model} ${problem}`)
    cases += result.cases
    onlyInFile += result.onlyInFile
  }
  return { cases, onlyInFile }
}

async function prove(run: ProofRun): Promise<Figures> {
  const results = TOKENIZERS.map((known) => proveTokenizer(run, known))
  const sum = (of: (result: Result) => number) => results.reduce((all, one) => all + of(one), 0)
  const engines = await proveEngines(run)
  return {
    tokenizers: TOKENIZERS.length,
    whole: TOKENIZERS.filter(({ complete }) => complete).length,
    tokens: TOKENIZERS.reduce((all, { tokens }) => all + tokens.length, 0),
    attacks: ATTACKS.length,
    cases: sum(({ cases }) => cases),
    alive: `${sum(({ alive }) => alive)}/${TOKENIZERS.flatMap(({ texts }) => texts).length}`,
    survived: sum(({ survived }) => survived),
    engine_cases: engines.cases,
    only_in_file: engines.onlyInFile,
  }
}

await runProof('control-tokens', prove)
