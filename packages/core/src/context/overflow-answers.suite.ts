import type { Overflow } from './find-overflow.ts'

/** A real answer of a provider or server, and where it was reported. */
export interface OverflowAnswer {
  readonly provider: string
  readonly status?: number
  /** The body as it came, parsed when it was JSON. */
  readonly body: unknown
  readonly expected: Overflow | undefined
  readonly source: string
}

const GITHUB = 'https://github.com/'

const overflow = (limitTokens?: number, requestTokens?: number): Overflow => ({
  of: 'tokens',
  ...(limitTokens !== undefined && { limitTokens }),
  ...(requestTokens !== undefined && { requestTokens }),
})

const openai = (
  message: string,
  code: string | null = 'context_length_exceeded',
  param: string | null = 'messages',
) => ({
  error: { message, type: 'invalid_request_error', param, code },
})

const anthropic = (message: string, type = 'invalid_request_error') => ({
  type: 'error',
  error: { type, message },
  request_id: 'req_011CWdepJvA2D819tdYYq4h7',
})

export const overflowAnswers: readonly OverflowAnswer[] = [
  {
    provider: 'Anthropic',
    status: 400,
    body: anthropic('prompt is too long: 200251 tokens > 200000 maximum'),
    expected: overflow(200_000, 200_251),
    source: `${GITHUB}boldsoftware/exe.dev/issues/62`,
  },
  {
    provider: 'Anthropic, prompt and answer',
    status: 400,
    body: anthropic(
      'input length and `max_tokens` exceed context limit: 184915 +\n20000 > 204648, decrease input length or `max_tokens` and try again',
    ),
    expected: overflow(204_648, 204_915),
    source: `${GITHUB}anthropics/claude-code/issues/228`,
  },
  {
    provider: 'Anthropic, too many bytes',
    status: 413,
    body: { error: { type: 'request_too_large', message: 'Request exceeds the maximum size' } },
    expected: { of: 'bytes' },
    source: `${GITHUB}anthropics/claude-code/issues/14567`,
  },
  {
    provider: 'Anthropic, 413 for tokens',
    status: 413,
    body: anthropic('Request size exceeds model context window'),
    expected: overflow(),
    source: `${GITHUB}anthropics/claude-code/issues/6380`,
  },
  {
    provider: 'OpenAI Chat Completions',
    status: 400,
    body: openai(
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 8202 tokens. Please reduce the length of the messages.",
    ),
    expected: overflow(8192, 8202),
    source: `${GITHUB}dimagi/open-chat-studio/issues/463`,
  },
  {
    provider: 'OpenAI Chat Completions, with the completion',
    status: 400,
    body: openai(
      "This model's maximum context length is 8192 tokens. However, you requested 8192 tokens (58 in the messages, 8134 in the completion). Please reduce the length of the messages or completion.",
    ),
    expected: overflow(8192, 8192),
    source: `${GITHUB}hncboy/ai-beehive/issues/50`,
  },
  {
    provider: 'OpenAI Completions',
    status: 400,
    body: openai(
      "This model's maximum context length is 8191 tokens, however you requested 8238 tokens (8238 in your prompt; 0 for the completion). Please reduce your prompt; or completion length.",
      null,
      null,
    ),
    expected: overflow(8191, 8238),
    source: `${GITHUB}fierceX/Document_QA/issues/3`,
  },
  {
    provider: 'OpenAI Responses, an event of the stream',
    body: {
      type: 'error',
      sequence_number: 2,
      error: {
        type: 'invalid_request_error',
        code: 'context_length_exceeded',
        message:
          'Your input exceeds the context window of this model. Please adjust your input and try again.',
        param: 'input',
      },
    },
    expected: overflow(),
    source: `${GITHUB}dyad-sh/dyad/issues/1672`,
  },
  {
    provider: 'OpenAI Responses, one text too long',
    status: 400,
    body: openai(
      "Invalid 'input[0].content': string too long. Expected a string with maximum length 10485760, but got a string with length 62114761 instead.",
      'string_above_max_length',
      'input[0].content',
    ),
    expected: { of: 'bytes' },
    source: `${GITHUB}VectorlyApp/bluebox/issues/31`,
  },
  {
    provider: 'Azure OpenAI',
    status: 400,
    body: openai(
      'Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 509178 tokens. Please reduce the length of the messages.',
    ),
    expected: overflow(272_000, 509_178),
    source: `${GITHUB}BerriAI/litellm/issues/15968`,
  },
  {
    provider: 'Google Gemini',
    status: 400,
    body: {
      error: {
        code: 400,
        message:
          'The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).',
        errors: [
          {
            message:
              'The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).',
            domain: 'global',
            reason: 'badRequest',
          },
        ],
        status: 'INVALID_ARGUMENT',
      },
    },
    expected: overflow(1_048_576, 1_200_293),
    source: `${GITHUB}google-gemini/gemini-cli/issues/6678`,
  },
  {
    provider: 'Google Gemini, a body within a body',
    status: 400,
    body: {
      error: {
        message:
          '{\n  "error": {\n    "code": 400,\n    "message": "The input token count (3475108) exceeds the maximum number of tokens allowed (1048576).",\n    "status": "INVALID_ARGUMENT"\n  }\n}\n',
        code: 400,
        status: 'Bad Request',
      },
    },
    expected: overflow(1_048_576, 3_475_108),
    source: `${GITHUB}google-gemini/gemini-cli/issues/4231`,
  },
  {
    provider: 'Google, too many bytes',
    status: 400,
    body: {
      error: {
        code: 400,
        message: 'Request payload size exceeds the limit: 4194304 bytes.',
        status: 'INVALID_ARGUMENT',
      },
    },
    expected: { of: 'bytes' },
    source: `${GITHUB}google-gemini/deprecated-generative-ai-android/issues/26`,
  },
  {
    provider: 'Vertex AI',
    status: 400,
    body: 'Unable to submit request because the input token count is 1251952 but model only supports up to 1048576. Reduce the input token count and try again. You can also use the CountTokens API to calculate prompt token count and billable characters.',
    expected: overflow(1_048_576, 1_251_952),
    source: `${GITHUB}google-gemini/gemini-cli/issues/19727`,
  },
  {
    provider: 'Vertex AI, the limit alone',
    status: 400,
    body: 'Error 400, Message: The input token count exceeds the maximum number of tokens allowed 1048576., Status: INVALID_ARGUMENT, Details: []',
    expected: overflow(1_048_576),
    source: `${GITHUB}warpdotdev/warp/issues/15662`,
  },
  {
    provider: 'Claude on Vertex AI through OpenRouter',
    status: 413,
    body: {
      error: {
        message: 'Provider returned error',
        code: 413,
        metadata: {
          raw: '{"type":"error","error":{"type":"invalid_request_error","message":"Prompt is too long"}}',
          provider_name: 'Google',
        },
      },
    },
    expected: overflow(),
    source: `${GITHUB}tailcallhq/forgecode/issues/1146`,
  },
  {
    provider: 'OpenRouter',
    status: 400,
    body: {
      error: {
        message:
          'This endpoint\'s maximum context length is 131072 tokens. However, you requested about 141607 tokens (10535 of text input, 131072 in the output). Please reduce the length of either one, or use the "middle-out" transform to compress your prompt automatically.',
        code: 400,
        metadata: { provider_name: 'Chutes' },
      },
    },
    expected: overflow(131_072, 141_607),
    source: `${GITHUB}Aider-AI/aider/issues/3721`,
  },
  {
    provider: 'DeepSeek',
    status: 400,
    body: openai(
      "This model's maximum context length is 131072 tokens. However, you requested 131134 tokens (122942 in the messages, 8192 in the completion). Please reduce the length of the messages or completion.",
      'invalid_request_error',
      null,
    ),
    expected: overflow(131_072, 131_134),
    source: `${GITHUB}evalstate/fast-agent/issues/621`,
  },
  {
    provider: 'Groq',
    status: 400,
    body: openai('Please reduce the length of the messages or completion.'),
    expected: overflow(),
    source: `${GITHUB}OpenHands/OpenHands/issues/1902`,
  },
  {
    provider: 'Cerebras',
    status: 400,
    body: '400 Please reduce the length of the messages or completion. Current length is 42328 while limit is 40000',
    expected: overflow(40_000, 42_328),
    source: `${GITHUB}cline/cline/issues/5140`,
  },
  {
    provider: 'Mistral',
    status: 400,
    body: {
      object: 'error',
      message:
        'Prompt contains 65673 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
      type: 'invalid_request_invalid_args',
    },
    expected: overflow(32_768, 65_673),
    source: `${GITHUB}BerriAI/litellm/pull/21647`,
  },
  {
    provider: 'Perplexity',
    status: 400,
    body: {
      error: {
        message: 'The total length of all messages is too long.',
        type: 'invalid_request',
        code: 400,
      },
    },
    expected: overflow(),
    source: `${GITHUB}BerriAI/litellm/pull/21647`,
  },
  {
    provider: 'xAI',
    status: 400,
    body: "This model's maximum prompt length is 131072 but the request contains 136973 tokens.",
    expected: overflow(131_072, 136_973),
    source: `${GITHUB}cline/cline/issues/3120`,
  },
  {
    provider: 'vLLM',
    status: 400,
    body: {
      object: 'error',
      message:
        "This model's maximum context length is 6048 tokens. However, you requested 6616 tokens (568 in the messages, 6048 in the completion). Please reduce the length of the messages or completion.",
      type: 'BadRequestError',
      param: null,
      code: 400,
    },
    expected: overflow(6048, 6616),
    source: `${GITHUB}ogx-ai/ogx/issues/4534`,
  },
  {
    provider: 'vLLM, input tokens alone',
    status: 400,
    body: {
      error: {
        message:
          "This model's maximum context length is 262144 tokens. However, your request has 279750 input tokens. Please reduce the length of the input messages. (parameter=input_tokens, value=279750)",
        type: 'BadRequestError',
        param: 'input_tokens',
        code: 400,
      },
    },
    expected: overflow(262_144, 279_750),
    source: `${GITHUB}Nikita-Filonov/ai-review/issues/27`,
  },
  {
    provider: 'vLLM, in total',
    status: 400,
    body: {
      error: {
        message:
          "This model's maximum context length is 4096 tokens. However, you requested 1 output tokens and your prompt contains at least 4096 input tokens, for a total of at least 4097 tokens. Please reduce the length of the input prompt or the number of requested output tokens. (parameter=input_tokens, value=4096)",
        type: 'BadRequestError',
        param: 'input_tokens',
        code: 400,
      },
    },
    expected: overflow(4096, 4097),
    source: `${GITHUB}vllm-project/vllm-ascend/issues/11557`,
  },
  {
    provider: 'vLLM, room for the answer',
    status: 400,
    body: "'max_tokens' or 'max_completion_tokens' is too large: 2000. This model's maximum context length is 4096 tokens and your request has 2104 input tokens (2000 > 4096 - 2104).",
    expected: overflow(4096, 4104),
    source: `${GITHUB}canfieldjuan/finetunelab.ai (docs/MAX_TOKENS_CONTEXT_OVERFLOW_FIX.md)`,
  },
  {
    provider: 'vLLM, offline',
    body: 'ValueError: The prompt (total length 25938) is too long to fit into the model (context length 4096). Make sure that `max_model_len` is no smaller than the number of text tokens plus multimodal tokens.',
    expected: overflow(4096, 25_938),
    source: `${GITHUB}vllm-project/vllm/issues/12165`,
  },
  {
    provider: 'SGLang',
    status: 400,
    body: {
      object: 'error',
      message: "The input (61709 tokens) is longer than the model's context length (40960 tokens).",
      type: 'BadRequestError',
      param: null,
      code: 400,
    },
    expected: overflow(40_960, 61_709),
    source: `${GITHUB}QwenLM/Qwen3/issues/1321`,
  },
  {
    provider: 'SGLang, with the completion',
    status: 400,
    body: "Bad Request: Requested token count exceeds the model's maximum context length of 202752 tokens. You requested a total of 202941 tokens: 170941 tokens from the input messages and 32000 tokens for the completion.",
    expected: overflow(202_752, 202_941),
    source: `${GITHUB}anomalyco/opencode/pull/25230`,
  },
  {
    provider: 'llama.cpp, 2025',
    status: 400,
    body: {
      error: {
        code: 400,
        message:
          'the request exceeds the available context size. try increasing the context size or enable context shift',
        type: 'exceed_context_size_error',
        n_prompt_tokens: 14_429,
        n_ctx: 8192,
      },
    },
    expected: overflow(8192, 14_429),
    source: `${GITHUB}oobabooga/textgen/issues/7257`,
  },
  {
    provider: 'llama.cpp, words alone',
    status: 400,
    body: '400 the request exceeds the available context size, try increasing it',
    expected: overflow(),
    source: `${GITHUB}continuedev/continue/issues/9797`,
  },
  {
    provider: 'llama.cpp, 2026',
    status: 400,
    body: 'Error 400 request (131168 tokens) exceeds the available context size (131072 tokens), try increasing it',
    expected: overflow(131_072, 131_168),
    source: `${GITHUB}langchain-ai/openwiki/issues/648`,
  },
  {
    provider: 'Ollama, a quoted body',
    status: 400,
    body: '{"error":{"code":400,"message":"request (42947 tokens) exceeds the available context size (8192 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":42947,"n_ctx":8192}}',
    expected: overflow(8192, 42_947),
    source: `${GITHUB}continuedev/continue/issues/12735`,
  },
  {
    provider: 'llama-cpp-python',
    status: 500,
    body: 'Requested tokens (2285) exceed context window of 2048',
    expected: overflow(2048, 2285),
    source: `${GITHUB}fedora-copr/logdetective-website/pull/193`,
  },
  {
    provider: 'LM Studio',
    status: 400,
    body: 'Trying to keep the first 111490 tokens when context the overflows. However, the model is loaded with context length of only 32768 tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input. Error Data: n/a, Additional Data: n/a',
    expected: overflow(32_768, 111_490),
    source: `${GITHUB}lmstudio-ai/lmstudio-bug-tracker/issues/546`,
  },
  {
    provider: 'LM Studio, 2026',
    body: 'Cannot truncate prompt with n_keep (15028) >= n_ctx (7424)',
    expected: overflow(7424, 15_028),
    source: `${GITHUB}anomalyco/opencode/issues/11141`,
  },
  {
    provider: 'LM Studio, 2023',
    body: 'An error occurred\n\nInput length 1581 exceeds context length 1500',
    expected: overflow(1500, 1581),
    source: `${GITHUB}lmstudio-ai/model-catalog/issues/38`,
  },
  {
    provider: 'Amazon Bedrock',
    status: 400,
    body: {
      errorType: 'ValidationException',
      errorMessage: 'Input is too long for requested model.',
      message: 'Input is too long for requested model.',
      name: 'ValidationException',
      $fault: 'client',
      $metadata: { httpStatusCode: 400, attempts: 1, totalRetryDelay: 0 },
    },
    expected: overflow(),
    source: `${GITHUB}aws-samples/assessment-generator/issues/2`,
  },
  {
    provider: 'Claude on Amazon Bedrock',
    status: 400,
    body: {
      name: 'ValidationException',
      message:
        'The model returned the following errors: prompt is too long: 903884 tokens > 200000 maximum',
    },
    expected: overflow(200_000, 903_884),
    source: `${GITHUB}strands-agents/harness-sdk/pull/1663`,
  },
  {
    provider: 'Amazon Bedrock, too many bytes',
    status: 400,
    body: "1 validation error detected: Value at 'body' failed to satisfy constraint: Member must have length less than or equal to 25000000",
    expected: { of: 'bytes' },
    source: `${GITHUB}langchain-ai/langchain-aws/issues/419`,
  },
  {
    provider: 'Together',
    status: 400,
    body: openai(
      'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: 80125 `inputs` tokens and 4096 `max_new_tokens`',
      null,
      'max_tokens',
    ),
    expected: overflow(4097, 84_221),
    source: `${GITHUB}BerriAI/litellm/issues/4934`,
  },
  {
    provider: 'Fireworks',
    status: 400,
    body: {
      error: {
        object: 'error',
        type: 'invalid_request_error',
        code: 'invalid_request_error',
        message: 'The prompt is too long: 40177, model maximum context length: 32767',
      },
    },
    expected: overflow(32_767, 40_177),
    source: `${GITHUB}fw-ai/cookbook/issues/134`,
  },
  {
    provider: 'Kimi',
    status: 400,
    body: {
      error: {
        message:
          'Invalid request: Your request exceeded model token limit: 262144 (requested: 291351)',
        type: 'invalid_request_error',
      },
    },
    expected: overflow(262_144, 291_351),
    source: `${GITHUB}openclaw/openclaw/pull/9562`,
  },
  {
    provider: 'GitHub Copilot',
    status: 400,
    body: {
      error: {
        message: 'prompt token count of 93854 exceeds the limit of 90000',
        param: '',
        code: '',
        type: '',
      },
    },
    expected: overflow(90_000, 93_854),
    source: `${GITHUB}jjleng/copilot-more/issues/35`,
  },
  {
    provider: 'MiniMax',
    status: 400,
    body: anthropic('invalid params, context window exceeds limit (2013)'),
    expected: overflow(),
    source: `${GITHUB}NousResearch/hermes-agent/pull/14743`,
  },
  {
    provider: 'Cohere',
    status: 400,
    body: {
      message:
        'too many tokens: size limit exceeded by 19296 tokens. Try using shorter or fewer inputs. The limit for this model is 132000 tokens.',
    },
    expected: overflow(132_000),
    source: `${GITHUB}pydantic/pydantic-ai/pull/4221`,
  },
  {
    provider: 'Qwen',
    status: 400,
    body: {
      error: {
        code: 'invalid_parameter_error',
        message:
          '<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 983616]',
        param: null,
        type: 'invalid_request_error',
      },
      request_id: '81a373d6-28bd-9968-8335-e22a2127c41b',
    },
    expected: overflow(983_616),
    source: `${GITHUB}agentscope-ai/QwenPaw/issues/6255`,
  },
  {
    provider: 'Z.ai',
    status: 400,
    body: { error: { code: '1261', message: 'Prompt exceeds max length' } },
    expected: overflow(),
    source: `${GITHUB}zeroclaw-labs/zeroclaw/issues/4124`,
  },
  {
    provider: 'a proxy in between',
    status: 413,
    body: {
      error: {
        message: 'Maximum request body size 1048576 exceeded, actual body size 1056562',
        code: 413,
        status: 'Request Entity Too Large',
      },
    },
    expected: { of: 'bytes' },
    source: `${GITHUB}google-gemini/gemini-cli/issues/13776`,
  },
  {
    provider: 'Anthropic, too many images',
    status: 400,
    body: anthropic('Too much media: 0 document pages + 107 images > 100'),
    expected: { of: 'media', limits: { media: 100 } },
    source: `${GITHUB}anthropics/claude-code/issues/24541`,
  },
  {
    provider: 'Anthropic, too many images and documents',
    status: 400,
    body: anthropic('too many images and documents: 104 + 1 > 100'),
    expected: { of: 'media', limits: { media: 100 } },
    source: `${GITHUB}anthropics/claude-code/issues/23392`,
  },
  {
    provider: 'Anthropic, too many pages',
    status: 400,
    body: anthropic(
      'messages.38.content.0.pdf.source.base64.data: A maximum of 100 PDF pages may be \n     provided.',
    ),
    expected: { of: 'media', limits: { media: 100 } },
    source: `${GITHUB}anthropics/claude-code/issues/6231`,
  },
  {
    provider: 'Anthropic, an image too large among many',
    status: 400,
    body: anthropic(
      'messages.43.content.6.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 \n     pixels',
    ),
    expected: { of: 'media', limits: { manyImages: { images: 20, pixels: 2_000 } } },
    source: `${GITHUB}anthropics/claude-code/issues/12867`,
  },
  {
    provider: 'Anthropic, an image too large',
    status: 400,
    body: anthropic(
      'messages.7.content.2.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels',
    ),
    expected: { of: 'media', limits: { imagePixels: 8_000 } },
    source: `${GITHUB}anthropics/claude-code/issues/4778`,
  },
  {
    provider: 'Anthropic, an image of too many bytes',
    status: 400,
    body: anthropic(
      'messages.168.content.0.tool_result.content.1.image.source.base64: image exceeds 5 MB maximum: 5649924 bytes > 5242880 bytes',
    ),
    expected: { of: 'media', limits: { imageBytes: 5_242_880 } },
    source: `${GITHUB}earendil-works/pi/pull/424`,
  },
  {
    provider: 'vLLM, too many images',
    status: 400,
    body: {
      object: 'error',
      message: 'At most 5 image(s) may be provided in one request.',
      type: 'BadRequestError',
      code: 400,
    },
    expected: { of: 'media', limits: { images: 5 } },
    source: `${GITHUB}vllm-project/vllm/issues/17092`,
  },
  {
    provider: 'GitHub Copilot, too many images',
    status: 400,
    body: openai(
      'Too many images in request: 11 images provided, but the model supports a maximum of 10 images.',
      null,
    ),
    expected: { of: 'media', limits: { images: 10 } },
    source: `${GITHUB}microsoft/vscode/issues/306919`,
  },
  {
    provider: 'Azure, too many images',
    status: 400,
    body: openai('Too many images in request. Max is 10.', null),
    expected: { of: 'media', limits: { images: 10 } },
    source: `${GITHUB}the-open-agent/openagent/issues/874`,
  },
  {
    provider: 'OpenCode Zen, too many images',
    status: 400,
    body: openai(
      'request contains 52 images, exceeding the maximum of 50 allowed per request',
      null,
    ),
    expected: { of: 'media', limits: { images: 50 } },
    source: `${GITHUB}anomalyco/opencode/issues/48647`,
  },
  {
    provider: 'LiteLLM, too many images',
    status: 400,
    body: openai(
      'litellm.BadRequestError: OpenAIException - Image count 5 exceeds limit 4 per request.',
      null,
    ),
    expected: { of: 'media', limits: { images: 4 } },
    source: `${GITHUB}AgnesAI-Labs/AgnesCode/issues/50`,
  },
  {
    provider: 'new-api, too many images',
    status: 500,
    body: openai('too many images in the message, max allowed is 16', null),
    expected: { of: 'media', limits: { images: 16 } },
    source: `${GITHUB}QuantumNous/new-api/issues/1233`,
  },
]

/** Answers that look alike and are something else. */
export const otherAnswers: readonly OverflowAnswer[] = [
  {
    provider: 'Anthropic, tokens per minute',
    status: 429,
    body: anthropic(
      "This request would exceed your organization's rate limit of 30,000 input tokens per minute. Please reduce the prompt length or the maximum tokens requested, or try again later.",
      'rate_limit_error',
    ),
    expected: undefined,
    source: `${GITHUB}logancyang/obsidian-copilot/issues/2327`,
  },
  {
    provider: 'OpenAI, tokens per minute',
    status: 429,
    body: {
      error: {
        message:
          'Request too large for gpt-4o in organization org-78asdf87asdf9aaa8976 on tokens per min (TPM): Limit 30000, Requested 31538. The input or output tokens must be reduced in order to run successfully.',
        type: 'tokens',
        param: null,
        code: 'rate_limit_exceeded',
      },
    },
    expected: undefined,
    source: `${GITHUB}TheR1D/shell_gpt/issues/653`,
  },
  {
    provider: 'Groq, tokens per minute as 413',
    status: 413,
    body: {
      error: {
        message:
          'Request too large for model `llama-3.3-70b-versatile` in organization `org_01` service tier `on_demand` on tokens per minute (TPM): Limit 6000, Requested 14810, please reduce your message size and try again.',
        type: 'tokens',
        code: 'rate_limit_exceeded',
      },
    },
    expected: undefined,
    source: `${GITHUB}ITSpecialist111/ai_automation_suggester/issues/61`,
  },
  {
    provider: 'Azure OpenAI, tokens per minute',
    status: 429,
    body: {
      error: {
        code: '429',
        message:
          'Requests to the ChatCompletions_Create Operation under Azure OpenAI API version 2023-05-15 have exceeded token rate limit of your current AIServices S0 pricing tier. Please retry after 86400 seconds.',
      },
    },
    expected: undefined,
    source: `${GITHUB}jasonacox/TinyLLM/issues/17`,
  },
  {
    provider: 'Amazon Bedrock, throttled',
    status: 429,
    body: {
      name: 'ThrottlingException',
      message: 'Too many tokens, please wait before trying again.',
    },
    expected: undefined,
    source: `${GITHUB}RooCodeInc/Roo-Code/issues/5050`,
  },
  {
    provider: 'OpenRouter, the provider behind it is busy',
    status: 429,
    body: {
      error: {
        message: 'Provider returned error',
        code: 429,
        metadata: {
          raw: 'z-ai/glm-5.3-flash is temporarily rate-limited upstream.',
          provider_name: 'BaseTen',
        },
      },
    },
    expected: undefined,
    source: `${GITHUB}open-webui/computer/issues/293`,
  },
  {
    provider: 'Amazon Bedrock, too much asked for the answer alone',
    status: 400,
    body: 'The maximum tokens you requested exceed the model limit of 4096. Try again with a maximum tokens value lower than 4096.',
    expected: undefined,
    source: `${GITHUB}RooCodeInc/Roo-Code/issues/248`,
  },
  {
    provider: 'Kimi, a request that is wrong',
    status: 400,
    body: {
      error: { type: 'invalid_request_error', message: 'Invalid request Error' },
      type: 'error',
    },
    expected: undefined,
    source: `${GITHUB}MoonshotAI/Kimi-K2.5/issues/20`,
  },
  {
    provider: 'OpenRouter, too many images',
    status: 400,
    body: {
      error: {
        message: 'Provider returned error',
        code: 400,
        metadata: {
          raw: '{"error":{"type":"invalid_request_error","message":"Model \'moonshotai/kimi-k2.6\' supports at most 1 image per prompt."}}',
          provider_name: 'Crucible',
        },
      },
    },
    expected: undefined,
    source: `${GITHUB}diegosouzapw/OmniRoute/issues/3044`,
  },
]
