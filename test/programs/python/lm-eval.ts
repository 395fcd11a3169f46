import assert from 'node:assert/strict'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Bench } from '../../harness/programs/bench.ts'
import { pythonPackages } from '../../harness/programs/install.ts'
import type { Program } from '../../harness/programs/program.ts'

/** A task whose answer is right only if generation stops at the comma. */
const QUESTION = { question: 'ANSWER-WITH: 1, 2, 3, 4, 5. END-ANSWER', answer: '1' }
const TASK = (data: string) => `task: counting
dataset_path: json
dataset_kwargs: { data_files: { test: ${data} } }
test_split: test
output_type: generate_until
doc_to_text: '{{question}}'
doc_to_target: '{{answer}}'
generation_kwargs: { until: [','], max_gen_toks: 256, do_sample: false }
metric_list: [{ metric: exact_match, aggregation: mean, higher_is_better: true }]
`

type Scores = { readonly results: { readonly counting: Readonly<Record<string, unknown>> } }

async function score(bench: Bench): Promise<unknown> {
  const data = join(bench.home, 'questions.jsonl')
  writeFileSync(data, `${JSON.stringify(QUESTION)}\n`)
  writeFileSync(join(bench.home, 'counting.yaml'), TASK(data))
  const settings = [
    `model=${bench.stoppingModel}`,
    `base_url=${bench.apiRoot}/chat/completions`,
    'num_concurrent=1',
    'tokenized_requests=False',
  ]
  await bench.run({
    file: join(bench.folder, 'bin', 'lm_eval'),
    parameters: [
      '--model=local-chat-completions',
      `--model_args=${settings.join(',')}`,
      '--apply_chat_template',
      `--include_path=${bench.home}`,
      '--tasks=counting',
      `--output_path=${join(bench.home, 'out')}`,
    ],
    environment: { OPENAI_API_KEY: bench.apiKey, HF_HUB_OFFLINE: '1' },
  })
  const [file = ''] = globSync('out/**/results*.json', { cwd: bench.home })
  const { results } = JSON.parse(readFileSync(join(bench.home, file), 'utf8')) as Scores
  return results.counting['exact_match,none']
}

export const program: Program = {
  name: 'lm-eval',
  version: '0.4.13',
  install: pythonPackages('lm-eval[api]==0.4.13'),
  checks: {
    chat: async (bench) => assert.equal(await score(bench), 1),
  },
}
