/**
 * Control tokens of real tokenizers, without the hundreds of reserved ones that differ only by a
 * number. `unusual` ones are known only from the model's own vocabulary.
 */
export const CONTROL_TOKENS: Readonly<
  Record<string, { readonly tokens: readonly string[]; readonly unusual?: readonly string[] }>
> = {
  'MiniMax-M2': {
    tokens: [']~b]', '[e~[', ']~!b[', ']!p~[', ']!d~[', '<think>', '</think>'].concat(
      ['<minimax:tool_call>', '</minimax:tool_call>', '<fim_prefix>', '<fim_middle>'],
      [']<]image[>[', ']<]start of image[>['],
    ),
    unusual: ['<add_file>', '<commit_before>', '<jupyter_code>', '<reponame>'],
  },
  'Seed-OSS': {
    tokens: ['<seed:bos>', '<seed:eos>', '<seed:pad>', '<seed:think>', '</seed:think>'].concat(
      ['<seed:cot_budget_reflect>', '</seed:cot_budget_reflect>', '<seed:tool_call>'],
      ['</seed:tool_call>', '<[PAD_never_used_51bce0c785ca2f68081bfa7d91973934]>'],
    ),
  },
  'GLM-4.5': {
    tokens: ['[gMASK]', '[sMASK]', '[MASK]', '<sop>', '<eop>', '<|system|>', '<|user|>'].concat(
      ['<|assistant|>', '<|observation|>', '<|endoftext|>', '<think>', '</think>', '<tool_call>'],
      ['</tool_call>', '<tool_response>', '<arg_key>', '</arg_key>', '<arg_value>', '</arg_value>'],
    ),
    unusual: ['/nothink'],
  },
  'DeepSeek-V3.2': {
    tokens: [
      '<｜begin▁of▁sentence｜>',
      '<｜end▁of▁sentence｜>',
      '<｜User｜>',
      '<｜Assistant｜>',
    ].concat(
      ['<｜tool▁calls▁begin｜>', '<｜tool▁sep｜>', '<｜tool▁outputs▁end｜>', '<｜fim▁hole｜>'],
      ['<｜DSML｜', '</｜DSML｜', '｜DSML｜', '<｜place▁holder▁no▁7｜>', '<think>', '</think>'],
    ),
  },
  Qwen3: {
    tokens: [
      '<|endoftext|>',
      '<|im_start|>',
      '<|im_end|>',
      '<|vision_start|>',
      '<|image_pad|>',
    ].concat(
      ['<tool_call>', '</tool_call>', '<tool_response>', '</tool_response>', '<think>', '</think>'],
      ['<|fim_prefix|>', '<|repo_name|>', '<|file_sep|>', '<function=', '<parameter='],
    ),
  },
  'Llama 3 and 4': {
    tokens: ['<|begin_of_text|>', '<|eot_id|>', '<|start_header_id|>', '<|end_header_id|>'].concat(
      ['<|python_tag|>', '<|eom_id|>', '<|header_start|>', '<|header_end|>', '<|eot|>'],
      ['<|reserved_special_token_2|>', '<|python_start|>', '<|text_post_train_reserved_12|>'],
    ),
  },
  'Llama 2': { tokens: ['<s>', '</s>', '<unk>', '[INST]', '[/INST]', '<<SYS>>', '<</SYS>>'] },
  Mistral: {
    tokens: ['<s>', '</s>', '<unk>', '<pad>', '[INST]', '[/INST]', '[SYSTEM_PROMPT]'].concat(
      ['[/SYSTEM_PROMPT]', '[AVAILABLE_TOOLS]', '[/AVAILABLE_TOOLS]', '[TOOL_CALLS]', '[ARGS]'],
      ['[TOOL_RESULTS]', '[/TOOL_RESULTS]', '[TOOL_CONTENT]', '[CALL_ID]', '[IMG]', '[IMG_BREAK]'],
      ['[THINK]', '[/THINK]', '[AUDIO]', '[BEGIN_AUDIO]', '[MODEL_SETTINGS]', '[PREFIX]'],
      ['[/MODEL_SETTINGS]', '[CONTROL_8]', '<SPECIAL_20>'],
    ),
  },
  'Gemma 3 and 4': {
    tokens: ['<bos>', '<eos>', '<pad>', '<unk>', '<start_of_turn>', '<end_of_turn>'].concat(
      ['<start_of_image>', '<end_of_image>', '<unused5>', '<image_soft_token>', '<|turn>'],
      ['<turn|>', '<|channel>', '<channel|>', '<|tool_call>', '<tool_call|>', '<|"|>', '<|think|>'],
    ),
    unusual: ['<mask>', '[multimodal]', '[@BOS@]', '<2mass>'],
  },
  'gpt-oss': {
    tokens: [
      '<|start|>',
      '<|end|>',
      '<|message|>',
      '<|channel|>',
      '<|constrain|>',
      '<|return|>',
    ].concat([
      '<|call|>',
      '<|startoftext|>',
      '<|endoftext|>',
      '<|reserved_200014|>',
      '<|endofprompt|>',
    ]),
  },
  'Kimi-K2': {
    tokens: [
      '[BOS]',
      '[EOS]',
      '[EOT]',
      '[PAD]',
      '[UNK]',
      '[start_header_id]',
      '[end_header_id]',
    ].concat(
      ['<|im_user|>', '<|im_middle|>', '<|im_end|>', '<|tool_calls_section_begin|>'],
      ['<|tool_call_argument_begin|>', '<|media_begin|>'],
    ),
  },
  LongCat: {
    tokens: ['<longcat_s>', '</longcat_s>', '<longcat_user>', '<longcat_assistant>'].concat(
      ['<longcat_system>', '<longcat_think>', '</longcat_think>', '<longcat_tool_call>'],
      ['<longcat_arg_key>', '</longcat_arg_value>'],
    ),
  },
  'Phi-4': {
    tokens: ['<|im_start|>', '<|im_sep|>', '<|im_end|>', '<|dummy_85|>', '<|endofprompt|>'].concat([
      '<|user|>',
      '<|end|>',
      '<|assistant|>',
      '<|tool|>',
      '<|/tool|>',
      '<|tool_call|>',
    ]),
  },
  EXAONE: { tokens: ['[|system|]', '[|user|]', '[|assistant|]', '[|endofturn|]', '[|tool|]'] },
  'Command A': {
    tokens: ['<BOS_TOKEN>', '<EOS_TOKEN>', '<|START_OF_TURN_TOKEN|>', '<|USER_TOKEN|>'].concat([
      '<|START_THINKING|>',
      '<|START_ACTION|>',
      '<|END_TOOL_RESULT|>',
    ]),
  },
  'Ling 2': {
    tokens: ['<role>SYSTEM', '<|role_end|>', '<|startoftext|>'],
    unusual: ['<role>', '</role>'],
  },
}
