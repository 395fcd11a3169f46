import type { Random } from '../../harness/figures/random.ts'

/** Texts of several kinds, which are cut into tokens as models cut them. */
const SENTENCES = {
  english: [
    'The reservoir above the village was drained on Tuesday, and no one had told the children.',
    'I would argue, though not strongly, that the second proposal is cheaper and somewhat safer.',
    'Yes.',
    'However, the constitutional implications of an extraordinarily long postponement are unclear.',
    'She asked for 3 apples, 12 pears and 1,250 grams of flour; he wrote it down without a word.',
    'First, check the oil. Second, check the tyres. Third, do not forget to close the bonnet.',
    'In summary: microbiology, thermodynamics and electrochemistry all describe the same boundary.',
    '"Why not?" he said, "it has worked for a hundred and forty years, hasn\'t it?"',
  ],
  code: [
    'export async function readLines(path: string): Promise<string[]> {\n  return []\n}\n',
    'if (value === undefined || value === null) throw new TypeError("missing value")\n',
    '        for (const [index, item] of items.entries()) {\n            total += item.price\n' +
      '        }\n',
    "SELECT id, name FROM customers WHERE created_at > now() - interval '7 days' ORDER BY id;\n",
    '#!/bin/sh\nset -eu\nfind . -name "*.tmp" -mtime +3 -print0 | xargs -0 rm -f\n',
    'def fibonacci(n):\n\treturn n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)\n',
    'const PATTERN = /^(?:[a-z0-9]+\\\\.)*[a-z]{2,}$/u\n\n\n',
    'struct node { struct node *next; unsigned char payload[64]; };\n',
  ],
  chinese: [
    '今天的会议推迟到下午三点，请大家提前准备好材料。',
    '这座城市的冬天很长，但是春天来得特别突然。',
    '根据最新的统计数据，2025年的产量比去年增加了百分之十二。',
    '他说：“我不知道该怎么办。”然后就走了。',
    '量子计算机的纠错技术仍然处于早期阶段，离实际应用还有很长的路。',
    '请问附近有没有卖水果的商店？谢谢！',
    '首先打开电源，其次检查网络连接，最后重新启动设备。',
  ],
  arguments: [
    { city: 'San Francisco', unit: 'celsius', days: 3 },
    { path: 'C:\\Users\\ana\\notes.txt', content: 'line one\nline two\t"quoted"\n' },
    { query: 'select * from t where a = "b"', limit: 100, offset: null, strict: true },
    { recipients: ['ana@example.com', '李雷@example.cn'], subject: '会议 — tomorrow', body: '' },
    { edits: [{ old: '<p class="x">', new: '<p>' }], dry_run: false },
  ].map((value) => JSON.stringify(value)),
}

export type CorpusName = keyof typeof SENTENCES

/** Longer words are more than one token in every vocabulary. */
const WORD_LENGTH_MAX = 9
const HAN_LENGTH_MAX = 2
const CUT =
  /\p{Script=Han}+| ?\p{Script=Latin}+| ?\p{N}{1,3}| ?[^\s\p{L}\p{N}]{1,4}|\n+|[^\S\n]+(?! )|\s+/gu

/** The tokens of a random sentence, or of the arguments of a call. */
export function sentenceOf(name: CorpusName, random: Random): string[] {
  const joint = name === 'english' ? ' ' : ''
  const sentence = `${random.pick(SENTENCES[name])}${joint}`
  return [...sentence.matchAll(CUT)].flatMap(([word]) => shorten(word))
}

/** So many tokens of sentences in a random order. */
export function tokensOf(name: CorpusName, count: number, random: Random): string[] {
  const tokens: string[] = []
  while (tokens.length < count) tokens.push(...sentenceOf(name, random))
  return tokens.slice(0, count)
}

function shorten(word: string): string[] {
  const most = /^\p{Script=Han}/u.test(word) ? HAN_LENGTH_MAX : WORD_LENGTH_MAX
  const characters = Array.from(word)
  const pieces: string[] = []
  for (let at = 0; at < characters.length; at += most)
    pieces.push(characters.slice(at, at + most).join(''))
  return pieces
}
