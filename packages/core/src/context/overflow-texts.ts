/** How providers and servers say that a request is too long: one wording, one line (overflow-answers.suite.ts). */
export interface OverflowText {
  readonly of: 'tokens' | 'bytes'
  /** Groups `request`, `limit`, and `answer` where the room asked for the answer is counted on top of the request. */
  readonly pattern: RegExp
}

/** The most of a text that is looked at. Errors are short; some servers repeat the request in theirs. */
export const TEXT_CHARACTERS = 20_000

/** Finds the wording in a text, tokens before bytes; undefined also for rate limits, which look alike. */
export function matchOverflowText(text: string): { readonly of: 'tokens' | 'bytes'; groups: Groups } | undefined {
  if (isRateLimitText(text)) return undefined
  const flat = text.slice(0, TEXT_CHARACTERS).replaceAll('`', '').replace(/\s+/g, ' ')
  for (const { of, pattern } of OVERFLOW_TEXTS) {
    const match = pattern.exec(flat)
    if (match) return { of, groups: match.groups ?? {} }
  }
  return undefined
}

/** Whether a text speaks of how much may be sent in a time, not at once. */
export const isRateLimitText = (text: string): boolean => RATE_LIMIT.test(text.slice(0, TEXT_CHARACTERS))

type Groups = Readonly<Record<string, string | undefined>>

// Groq answers 413 "Request too large … on tokens per minute (TPM)": waiting helps, a smaller window is another matter.
const RATE_LIMIT =
  /tokens? per (?:min|hour|day)|\b(?:TPM|TPD|RPM)\b|rate[ _-]?limit|too many requests|wait before trying again|quota/i

const NUMBER = String.raw`\d[\d,]{0,14}`
const REQUEST = `(?<request>${NUMBER})`
const LIMIT = `(?<limit>${NUMBER})`
const ANSWER = `(?<answer>${NUMBER})`

const tokens = (...pieces: readonly string[]): OverflowText => ({
  of: 'tokens',
  pattern: new RegExp(pieces.join(''), 'i'),
})
const bytes = (...pieces: readonly string[]): OverflowText => ({
  of: 'bytes',
  pattern: new RegExp(pieces.join(''), 'i'),
})

/** The wordings with numbers come before those of the same words without. */
const OVERFLOW_TEXTS: readonly OverflowText[] = [
  // Anthropic
  tokens('prompt is too long: ', REQUEST, ' tokens > ', LIMIT),
  tokens('exceed context limit: ', REQUEST, String.raw` \+ `, ANSWER, ' > ', LIMIT),
  // Fireworks
  tokens('prompt is too long: ', REQUEST, ', model maximum context length: ', LIMIT),
  // OpenAI, DeepSeek, OpenRouter, vLLM
  tokens('maximum context length is ', LIMIT, ' tokens[.,] however, you requested about ', REQUEST, ' tokens'),
  tokens('maximum context length is ', LIMIT, ' tokens[.,] however,? you requested ', REQUEST, ' tokens'),
  tokens('maximum context length is ', LIMIT, ' tokens[.,] however,? your messages resulted in ', REQUEST, ' tokens'),
  tokens(
    'maximum context length is ',
    LIMIT,
    String.raw` tokens[.,] however,? you requested \d{1,10} output tokens`,
    String.raw` and your prompt contains at least \d{1,10} input tokens, for a total of at least `,
    REQUEST,
  ),
  tokens('maximum context length is ', LIMIT, ' tokens[.,] however,? your request has ', REQUEST, ' input tokens'),
  tokens(
    'too large: ',
    ANSWER,
    String.raw`\. this model's maximum context length is `,
    LIMIT,
    ' tokens and your request has ',
    REQUEST,
    ' input tokens',
  ),
  tokens('maximum context length is ', LIMIT),
  // OpenAI on Azure
  tokens('exceed the configured limit of ', LIMIT, String.raw` tokens\. your messages resulted in `, REQUEST),
  tokens('tokens exceed the configured limit of ', LIMIT),
  // OpenAI Responses
  tokens('exceeds the context window of this model'),
  // Google
  tokens(
    String.raw`input token count \(?`,
    REQUEST,
    String.raw`\)? exceeds the maximum number of tokens allowed \(?`,
    LIMIT,
  ),
  tokens(String.raw`input token count exceeds the maximum number of tokens allowed \(?`, LIMIT),
  tokens('input token count is ', REQUEST, ' but model only supports up to ', LIMIT),
  // xAI
  tokens('maximum prompt length is ', LIMIT, ' but the request contains ', REQUEST),
  // Cerebras, then Groq
  tokens('reduce the length of the messages or completion. current length is ', REQUEST, ' while limit is ', LIMIT),
  tokens('please reduce the length of the messages'),
  // Mistral
  tokens('prompt contains ', REQUEST, ' tokens[^.]{0,60} too large for model with ', LIMIT, ' maximum context length'),
  // llama.cpp, Ollama
  tokens('request \\(', REQUEST, String.raw` tokens\) exceeds the available context size \(`, LIMIT),
  tokens('exceeds the available context size'),
  // llama-cpp-python
  tokens(String.raw`requested tokens \(`, REQUEST, String.raw`\) exceed context window of `, LIMIT),
  // LM Studio
  tokens(
    'trying to keep the first ',
    REQUEST,
    ' tokens when context[^.]{0,60}. however, the model is loaded with ',
    '(?:a )?context length of only ',
    LIMIT,
  ),
  tokens(String.raw`cannot truncate prompt with n_keep \(`, REQUEST, String.raw`\) >= n_ctx \(`, LIMIT),
  tokens('input length ', REQUEST, ' exceeds context length ', LIMIT),
  // SGLang
  tokens(String.raw`the input \(`, REQUEST, String.raw` tokens\) is longer than the model's context length \(`, LIMIT),
  tokens(
    "exceeds the model's maximum context length of ",
    LIMIT,
    String.raw` tokens\. you requested a total of `,
    REQUEST,
  ),
  // vLLM offline
  tokens(
    String.raw`prompt \(total length `,
    REQUEST,
    String.raw`\) is too long to fit into the model \(context length `,
    LIMIT,
  ),
  // Together, Text Generation Inference
  tokens(
    String.raw`inputs tokens \+ max_new_tokens must be <= `,
    LIMIT,
    String.raw`\. given: `,
    REQUEST,
    ' inputs tokens and ',
    ANSWER,
    ' max_new_tokens',
  ),
  // Kimi
  tokens('exceeded model token limit: ', LIMIT, String.raw` \(re ?quested: `, REQUEST),
  tokens('exceeded model token limit'),
  // GitHub Copilot
  tokens('prompt token count of ', REQUEST, ' exceeds the limit of ', LIMIT),
  // MiniMax: the number in brackets is no limit.
  tokens('context window exceeds limit'),
  // Cohere
  tokens('too many tokens: size limit exceeded by .{0,120}the limit for this model is ', LIMIT),
  tokens('number of tokens in the prompt exceeds the limit of ', LIMIT),
  // Qwen
  tokens(String.raw`range of input length should be \[1, `, LIMIT),
  // Z.ai
  tokens('prompt exceeds max length'),
  // Perplexity
  tokens('length of all messages is too long'),
  // Amazon Bedrock
  tokens('input is too long for requested model'),
  tokens('too many input tokens'),
  // Anthropic, on other platforms without numbers
  tokens('request size exceeds model context window'),
  tokens('prompt is too long'),
  // LangChain, LiteLLM
  tokens("input exceeded the model's context window"),
  tokens('ContextWindowExceededError|context[ _]length[ _]exceeded'),

  // Of the request's bytes. Their numbers are no tokens and stay out.
  bytes('request exceeds the maximum (?:allowed )?(?:size|number of bytes)'),
  bytes('request payload size exceeds the limit'),
  bytes(String.raw`maximum request body size \d{1,15} exceeded`),
  bytes('(?:request entity|payload|content) too large'),
  bytes('string too long. expected a string with maximum length'),
  bytes('member must have length less than or equal to'),
  bytes('expected maxlength: '),
]
