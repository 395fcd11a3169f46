/**
 * Breaks up control tokens in client text. Engines render a conversation to one text and parse
 * control tokens anywhere in it, so without this a user message could end its own turn and start a
 * system turn.
 */
export type Neutralise = (text: string) => string

/** A zero-width space: invisible and meaningless, but no control token contains it. */
export const BREAK = '\u200b'

/**
 * A token without its first character: a pattern, and its last character. Where that is empty, the
 * pattern is too close to ordinary text to count without the first or the last character.
 */
type Rest = readonly [pattern: string, last: string]

/**
 * The tokens of common vocabularies, by their first character. Every repetition is bounded: this
 * runs on text of any size.
 */
const COMMON: Readonly<Record<string, readonly Rest[]>> = {
  '<': [
    // ChatML and its relatives; Gemma 4 has a bar on one side only. DeepSeek's bars are wide.
    ['\\|[^<>|\\s]{1,64}\\|', '>'],
    ['\\|[^<>|\\s]{1,64}(?:>|$)', ''],
    ['[^<>|\\s]{1,64}\\|(?:>|$)', ''],
    ['/?｜[^<>｜\\s]{1,64}', '｜'],
    ['/?(?:s|bos|eos|pad|unk|cls|sep|sop|eop|tools|arg_key|arg_value)', '>'],
    ['/?think(?:_[a-z0-9_]{1,64})?', '>'],
    ['(?:BOS|EOS|PAD|UNK|CLS|SEP)', '>'],
    ['/?(?:tool|fim|image|audio|video|vision|longcat)_[a-z_]{1,32}', '>'],
    ['/?(?:seed|minimax|mm):[a-z_]{1,32}', '>'],
    ['(?:start|end|begin)_of_[a-z_]{1,32}', '>'],
    ['(?:unused|extra_id_|reserved_|special_token_|SPECIAL_)[0-9]{1,6}', '>'],
    ['[A-Z]{2,12}_TOKEN', '>'],
    ['\\[[A-Z]{3}_never_used_[0-9a-f]{1,40}\\]', '>'],
    // The markup of tool calls, media and Llama 2's system message is text in some vocabularies.
    ['(?:function|parameter)=', ''],
    ['role>(?:SYSTEM|HUMAN|ASSISTANT|OBSERVATION)', ''],
    ['__[A-Za-z0-9_]{1,64}', '>'],
    ['</?SYS>', ''],
  ],
  '[': [
    ['/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT)', '\\]'],
    ['/?(?:MODEL_SETTINGS|THINK|ARGS|CALL_ID|IMG|IMG_BREAK|IMG_END|AUDIO|BEGIN_AUDIO)', '\\]'],
    ['(?:BOS|EOS|EOT|PAD|UNK|CLS|SEP|MASK|gMASK|sMASK|PREFIX|MIDDLE|SUFFIX)', '\\]'],
    ['(?:start|end)_header_id', '\\]'],
    ['(?:CONTROL|UNUSED_TOKEN|REFERENCE_DOC)_[0-9]{1,5}', '\\]'],
    ['\\|[a-z_]{3,32}\\|', '\\]'],
    ['e~', '\\['],
  ],
  ']': [
    ['~b', '\\]'],
    ['~!b', '\\['],
    ['![a-z]~', '\\['],
    ['<\\][a-z_ ]{1,32}\\[>', '\\['],
  ],
  '｜': [
    ['DSML', '｜'],
    ['[^<>｜\\s]{1,64}｜>', ''],
  ],
}

/** Templates exist that put `<` before and `>` behind a name of the client's. */
const WITHOUT_ENDS = '\\|[^<>|\\s]{1,64}\\|(?:>|$)'

/**
 * `tokens` are control tokens of the model that the common patterns may not cover. Templates put
 * client text between characters of their own (`<parameter=` name `>`), so a token whose last
 * character is missing counts at the end of a text, and one without its first at the beginning.
 */
export function createNeutralise(tokens: readonly string[]): Neutralise {
  const rests = new Map(Object.entries(COMMON))
  for (const token of tokens.toSorted((one, other) => other.length - one.length)) {
    const [first = '', ...rest] = token
    const last = rest.pop()
    if (last === undefined) continue
    const own: Rest = [RegExp.escape(rest.join('')), RegExp.escape(last)]
    rests.set(first, [...(rests.get(first) ?? []), own])
  }
  // Consumes only the first character of every token, so that overlapping tokens are all found.
  const alternatives = [...rests].map(
    ([first, rest]) => `${RegExp.escape(first)}(?=${rest.map(orCutOff).join('|')})`,
  )
  const pattern = new RegExp(alternatives.join('|'), 'gu')
  const withoutFirst = [...rests.values()].flat().filter((rest) => !rest.includes(''))
  const beginnings = [WITHOUT_ENDS, ...withoutFirst.map(([rest, last]) => rest + last)]
  const beginning = new RegExp(beginnings.join('|'), 'uy')
  return (text) => {
    beginning.lastIndex = 0
    const broken = text.replace(pattern, `$&${BREAK}`)
    return beginning.test(text) ? BREAK + broken : broken
  }
}

/** A token of two characters has no part that is worth breaking up on its own. */
function orCutOff([rest, last]: Rest): string {
  return rest === '' || last === '' ? rest + last : `${rest}(?:${last}|$)`
}

/**
 * Neutralises all names and texts in a JSON value: some templates render each on its own, so that
 * escapes are gone.
 */
export function neutraliseTexts<Value>(value: Value, neutralise: Neutralise): Value {
  const change = (each: unknown): unknown => {
    if (typeof each === 'string') return neutralise(each)
    if (typeof each !== 'object' || each === null) return each
    if (Array.isArray(each)) return each.map(change)
    return Object.fromEntries(
      Object.entries(each).map(([name, member]) => [neutralise(name), change(member)]),
    )
  }
  return change(value) as Value
}

/** For models with `neutralise_control_tokens: false`. */
export const keepText: Neutralise = (text) => text
