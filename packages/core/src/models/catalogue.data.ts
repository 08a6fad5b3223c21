/**
 * Written by scripts/build-catalogue.ts on 2026-11-21; do not edit. Sources:
 * - @pydantic/genai-prices 0.1.8 (MIT)
 * - @langchain/anthropic 1.5.11 (MIT)
 * - @langchain/openai 1.5.8 (MIT)
 * - @langchain/google-genai 2.3.2 (MIT)
 *
 * Columns: provider, id, context window, output limit (tokens); then US dollars per million tokens: input, output,
 * cached input, cache write, long-lived cache write; then long context as tokens/input factor/output factor.
 * `-` means that no source tells, and so does a row that ends early.
 */
export const CATALOGUE_DATE = '2026-11-21'

export const CATALOGUE_ROWS = `
anthropic claude-2 200000 - 8 24
anthropic claude-3-5-haiku 200000 - 0.8 4 0.08 1 1.6
anthropic claude-3-5-sonnet 200000 - 3 15 0.3 3.75 6
anthropic claude-3-7-sonnet 200000 - 3 15 0.3 3.75 6
anthropic claude-3-haiku 200000 - 0.25 1.25 0.03 0.3 0.5
anthropic claude-3-opus 200000 - 15 75 1.5 18.75 30
anthropic claude-3-sonnet 200000 - 3 15 0.3 3.75 6
anthropic claude-fable-5 1e6 128000 10 50 1 12.5 20
anthropic claude-fable-5-1 1e6 128000 10 50 0.25 12.5 20
anthropic claude-haiku-4-5 200000 64000 1 5 0.1 1.25 2
anthropic claude-opus-4 200000 - 15 75 1.5 18.75 30
anthropic claude-opus-4-1 200000 32000 15 75 1.5 18.75 30
anthropic claude-opus-4-5 200000 64000 5 25 0.5 6.25 10
anthropic claude-opus-4-6 1e6 128000 5 25 0.5 6.25 10
anthropic claude-opus-4-7 1e6 128000 5 25 0.5 6.25 10
anthropic claude-opus-4-8 1e6 128000 5 25 0.5 6.25 10
anthropic claude-opus-5 1e6 128000 5 25 0.5 6.25 10
anthropic claude-opus-5-5 1e6 128000 4 20 0.2 5 8
anthropic claude-sonnet-4 200000 - 3 15 0.3 3.75 6
anthropic claude-sonnet-4-5 200000 64000 3 15 0.3 3.75 6 200000/2/1.5
anthropic claude-sonnet-4-6 1e6 128000 3 15 0.3 3.75 6
anthropic claude-sonnet-5 1e6 128000 2 10 0.2 2.5 4
google gemini-1.0-pro-vision-001 32768 - 0.125 0.375
google gemini-1.5-flash 1e6 8192 0.075 0.3 0.01875 - - 128000/2/2
google gemini-1.5-flash-8b 1e6 8192 0.075 0.3 0.01875 - - 128000/2/2
google gemini-1.5-pro 1e6 8192 1.25 5 - - - 128000/2/2
google gemini-2.0-flash 1e6 8192 0.1 0.4 0.025
google gemini-2.0-flash-lite 1e6 8192 0.075 0.3
google gemini-2.5-flash 1048576 65536 0.3 2.5 0.03
google gemini-2.5-flash-lite 1e6 65536 0.1 0.4 0.01
google gemini-2.5-flash-preview 1048576 65536 0.15 0.6
google gemini-2.5-pro 1048576 65536 1.25 10 0.125 - - 200000/2/1.5
google gemini-3-flash-preview 1e6 65536 0.5 3 0.05
google gemini-3-pro-preview 1e6 64000 2 12 0.2 - - 200000/2/1.5
google gemini-3.1-flash-lite 1e6 - 0.25 1.5 0.025
google gemini-3.1-pro-preview - - 2 12 0.2 - - 200000/2/1.5
google gemini-3.5-flash 1e6 - 1.5 9 0.15
google gemini-3.5-flash-lite 1e6 - 0.3 2.5 0.03
google gemini-3.6-flash 1e6 - 0.75 3.75 0.075
google gemini-3.7-flash 1e6 - 0.75 3.75 0.075
google gemini-3.8-flash 1e6 - 0.75 3.75 0.075
google gemini-flash 1048576 65536
google gemini-flash-1.5 1048576 65536 0.075 0.3 0.01875 - - 128000/2/2
google gemini-flash-1.5-8b 1e6 65536 0.0375 0.15 0.01 - - 128000/2/2
google gemini-flash-lite 1048576 65536
google gemini-pro-1.5 2e6 - 1.25 5 0.3125 - - 128000/2/2
google gemma-2-27b-it - - 0.65 0.65
google gemma-4-26b-a4b-it 262144
google gemma-4-26b-a4b-it-maas 262144 - 0.15 0.6 0.015
google gemma-4-31b-it 262144
openai chatgpt-4o 128000 - 5 15
openai codex-mini 200000 100000 1.5 6 0.375
openai gpt-3.5-turbo 16385 4096 0.5 1.5
openai gpt-3.5-turbo-0613 16385 4096 1.5 2
openai gpt-3.5-turbo-1106 16385 4096 1 2
openai gpt-3.5-turbo-16k 16385 4096 3 4
openai gpt-3.5-turbo-instruct 16385 4096 1.5 2
openai gpt-4 8192 8192 30 60
openai gpt-4-32k 32000 8192 60 120
openai gpt-4-turbo 128000 4096 10 30
openai gpt-4-vision-preview 128000 8192 10 30
openai gpt-4.1 1e6 32768 2 8 0.5
openai gpt-4.1-mini 1e6 32768 0.4 1.6 0.1
openai gpt-4.1-nano 1e6 32768 0.1 0.4 0.025
openai gpt-4.5-preview - - 75 150 37.5
openai gpt-4o 128000 16384 2.5 10 1.25
openai gpt-4o-2024-05-13 128000 4096 5 15
openai gpt-4o-mini 128000 16384 0.15 0.6 0.075
openai gpt-5 400000 128000 1.25 10 0.125
openai gpt-5-chat 400000 128000 1.25 10 0.125
openai gpt-5-codex 400000 128000 1.25 10 0.125
openai gpt-5-mini 400000 128000 0.25 2 0.025
openai gpt-5-nano 400000 128000 0.05 0.4 0.005
openai gpt-5-pro 400000 272000 15 120
openai gpt-5.1 400000 128000 1.25 10 0.125
openai gpt-5.1-chat 128000 16384 1.25 10 0.125
openai gpt-5.1-codex 400000 128000 1.25 10 0.125
openai gpt-5.1-codex-max 400000 128000 1.25 10 0.125
openai gpt-5.1-codex-mini 400000 128000 0.25 2 0.025
openai gpt-5.2 400000 128000 1.75 14 0.175
openai gpt-5.2-chat 128000 16384 1.75 14 0.175
openai gpt-5.2-codex 400000 128000 1.75 14 0.175
openai gpt-5.2-pro 400000 128000 21 168
openai gpt-5.3 128000 - 1.75 14 0.175
openai gpt-5.3-codex 400000 128000 1.75 14 0.175
openai gpt-5.3-codex-spark 128000 32000 1.75 14 0.175
openai gpt-5.4 1050000 128000 2.5 15 0.25 - - 272000/2/1.5
openai gpt-5.4-mini 400000 128000 0.75 4.5 0.075
openai gpt-5.4-nano 400000 128000 0.2 1.25 0.02
openai gpt-5.4-pro 1050000 128000 30 180 - - - 272000/2/1.5
openai gpt-5.5 1e6 130000 5 30 0.5 - - 272000/2/1.5
openai gpt-5.5-pro 1e6 128000 30 180 - - - 272000/2/1.5
openai gpt-5.6-luna 1050000 - 0.2 1.2 0.02 0.25 - 272000/2/1.5
openai gpt-5.6-sol 1050000 - 4 20 0.4 5 - 272000/2/1.5
openai gpt-5.6-terra 1050000 - 2 12 0.2 2.5 - 272000/2/1.5
openai gpt-6-astra 1050000 - 10 50 1 12.5 - 272000/2/1.5
openai gpt-6-luna 1050000 - 0.1 0.5 0.01 0.125 - 272000/2/1.5
openai gpt-6-sol 1050000 - 2 10 0.2 2.5 - 272000/2/1.5
openai gpt-chat - - 5 30 0.5
openai gpt-oss-120b 131072 - 0.039 0.18
openai gpt-oss-20b 131072 - 0.029 0.14
openai o1 200000 100000 15 60 7.5
openai o1-mini 128000 65536 1.1 4.4 0.55
openai o1-preview 128000 32768 15 60 7.5
openai o1-pro 200000 100000 150 600
openai o3 200000 100000 2 8 0.5
openai o3-deep-research 200000 100000 10 40 2.5
openai o3-mini 200000 100000 1.1 4.4 0.55
openai o3-pro 200000 100000 20 80
openai o4-mini 200000 100000 1.1 4.4 0.275
openai o4-mini-deep-research 200000 100000 2 8 0.5
other codestral 256000 - 0.3 0.9
other codestral-2508 256000 - 0.3 0.9 0.03
other deepseek-chat 64000 - 0.135 0.55 0.035
other deepseek-chat-v3-0324 163840 - 0.3 0.88
other deepseek-r1 64000 - 0.45 2.15
other deepseek-r1-distill-llama-70b 8192 - 0.1 0.4
other deepseek-reasoner 64000 - 0.135 0.55 0.035
other deepseek-v3.1-terminus 128000 - 0.27 0.95 0.13
other deepseek-v3.2 128000 - 0.2288 0.3432
other deepseek-v3.2-exp 128000 - 0.27 0.41
other deepseek-v4-flash 1e6 - 0.22 0.66 0.007
other deepseek-v4-pro 1e6 - 0.66 1.98 0.022
other devstral-2512 262144 - 0.4 2 0.04
other devstral-small - - 0.1 0.3
other glm-4.5 131072 - 0.6 2.2 0.11
other glm-4.5-air 131072 - 0.125 0.85 0.06
other glm-4.5v 65536 - 0.6 1.8 0.11
other glm-4.6v 131072 - 0.3 0.9 0.05
other glm-5-turbo 202752 - 1.2 4 0.24
other glm-5.2 1e6 - 1.4 4.4 0.26
other glm-5.3 1e6 - 1.4 4.4 0.26
other glm-5.3-flash 1e6 - 0.075 0.25 0.015
other grok-2-1212 32768 - 2 10
other grok-2-vision-1212 32768 - 2 10
other grok-3 131072 - 3 15 0.75
other grok-3-fast 131072 - 5 25 1.25
other grok-3-mini 131072 - 0.3 0.5 0.075
other grok-3-mini-fast 131072 - 0.6 4 0.15
other grok-4-0709 256000 - 3 15 0.75
other grok-4-1-fast-non-reasoning 2e6 - 0.2 0.5 0.05
other grok-4-1-fast-reasoning 2e6 - 0.2 0.5 0.05
other grok-4-fast 2e6 - 0.2 0.5 0.05 - - 128000/2/2
other grok-4-fast-non-reasoning 2e6 - 0.2 0.5 0.05
other grok-4-fast-reasoning 2e6 - 0.2 0.5 0.05
other grok-4.1-fast 2e6
other grok-4.20 1e6 - 1.25 2.5 0.2 - - 200000/2/2
other grok-4.20-multi-agent 1e6 - 2 6 0.2
other grok-4.3 1e6 - 1.25 2.5 0.2 - - 200000/2/2
other grok-4.5 500000 - 2 6 0.3 - - 200000/2/2
other grok-4.6 500000 - 2 6 0.5 - - 200000/2/2
other grok-build-0.1 256000 - 1 2 0.2 - - 200000/2/2
other grok-code-fast-1 256000 - 0.2 1.5 0.02
other kimi-k2 - - 0.57 2.3
other kimi-k2-0711-preview 131072 - 0.6 2.5 0.15
other kimi-k2-0905 262144 - 0.6 2.5
other kimi-k2-0905-preview 262144 - 0.6 2.5 0.15
other kimi-k2-thinking 262144 - 0.6 2.5 0.15
other kimi-k2-thinking-turbo 262144 - 1.15 8 0.15
other kimi-k2-turbo-preview 262144 - 1.15 8 0.15
other kimi-k2.5 262144 - 0.6 3 0.1
other kimi-k2.6 262144 - 0.95 4 0.16
other kimi-k2.7-code 262144 - 0.95 4 0.19
other kimi-k2.7-code-highspeed 262144 - 1.9 8 0.38
other kimi-k3 1048576 - 3 15 0.3
other llama-3.1-70b-instruct 131072 - 0.1 0.28
other llama-3.2-1b-instruct 60000 - 0.005 0.01
other llama-4-maverick-17b-128e-instruct-fp8 - - 0.27 0.85
other llama-4-scout-17b-16e-instruct - - 0.18 0.59
other magistral-medium - - 2 5
other magistral-small - - 0.5 1.5
other minimax-01 1000192 - 0.2 1.1
other minimax-m1 - - 0.4 2.2
other minimax-m2 204800 - 0.3 1.2 0.03 0.375
other minimax-m2.1 204800 - 0.29 0.95 0.03
other minimax-m2.1-highspeed 204800 - 0.6 2.4 0.03 0.375
other minimax-m2.5-highspeed 204800 - 0.6 2.4 0.03 0.375
other minimax-m2.7 204800 - 0.3 1.2 0.06 0.375
other minimax-m2.7-highspeed 204800 - 0.6 2.4 0.06 0.375
other minimax-m3 1e6 - 0.3 1.2 0.06 - - 512000/2/2
other ministral-14b-2512 262144 - 0.2 0.2 0.02
other ministral-3b - - 0.04 0.04
other ministral-3b-2512 131072 - 0.1 0.1 0.01
other ministral-8b - - 0.1 0.1
other ministral-8b-2512 262144 - 0.15 0.15 0.015
other mistral-7b - - 0.25 0.25
other mistral-large - - 2 6
other mistral-large-2512 262144 - 0.5 1.5 0.05
other mistral-medium - - 1.5 7.5 0.15
other mistral-medium-2312 - - 2.7 8.1
other mistral-medium-3 131072 - 0.4 2
other mistral-medium-3-1 131072 - 0.4 2 0.04
other mistral-medium-3-5 262144 - 1.5 7.5 0.15
other mistral-medium-3.1 131072 - 0.4 2 0.04
other mistral-nemo - - 0.15 0.15
other mistral-saba - - 0.2 0.6
other mistral-small - - 0.1 0.3
other mistral-small-24b-instruct-2501 - - 0.05 0.08
other mistral-small-2603 262144 - 0.15 0.6 0.015
other mistral-small-3.1-24b-instruct - - 0.351 0.555
other mistral-small-3.2-24b-instruct - - 0.075 0.2
other mistral-tiny - - 0.25 0.25
other mixtral-8x22b-instruct - - 0.9 0.9
other mixtral-8x7b - - 0.7 0.7
other moonshot-v1-128k 131072 - 2 5
other moonshot-v1-32k 32768 - 1 3
other moonshot-v1-8k 8192 - 0.2 2
other nemotron-3-nano-30b-a3b 262144 - 0.05 0.2
other nemotron-3-nano-omni-30b-a3b-reasoning 256000
other nemotron-3-super-120b-a12b 262144
other nemotron-3-ultra-550b-a55b 1e6
other pixtral-12b - - 0.15 0.15
other pixtral-large - - 2 6
other qwen-2.5-7b-instruct 32768 - 0.04 0.1
other qwen-2.5-coder-32b-instruct 32768 - 0.06 0.15
other qwen-plus 1e6 - 0.4 1.2 0.16
other qwen-plus-2025-07-28 1e6 - 0.26 0.78
other qwen3-235b-a22b 131072 - 0.13 0.6
other qwen3-30b-a3b-thinking-2507 81920 - 0.08 0.4
other qwen3-8b 131072 - 0.035 0.138
other qwen3-coder-flash 1e6 - 0.195 0.975 0.039 0.24375
other qwen3-coder-plus 1e6 - 0.65 3.25 0.13 0.8125
other qwen3-max 262144 - 1.2 6
other qwen3-max-thinking 262144 - 0.78 3.9
other qwen3-vl-235b-a22b-thinking 131072 - 0.26 2.6
other qwen3-vl-32b-instruct 131072 - 0.104 0.416
other qwen3-vl-8b-thinking 131072 - 0.117 1.365
other qwen3.5-122b-a10b 262144 - 0.26 2.08
other qwen3.5-27b 262144 - 0.195 1.56
other qwen3.5-flash-02-23 1e6 - 0.065 0.26
other qwen3.5-plus-02-15 1e6 - 0.4 2.4
other qwen3.5-plus-20260420 1e6 - 0.3 1.8 - 0.375
other qwen3.6-flash 1e6 - 0.1875 1.125 - 0.234375
other qwen3.6-max-preview 262144 - 1.04 6.24 - 1.3
other qwen3.6-plus 1e6 - 0.325 1.95 - 0.40625
other qwen3.7-max 1e6 - 1.25 3.75 0.25 1.5625
other qwen3.7-plus 1e6 - 0.4 1.6 0.08 0.5
other step-3.5-flash 262144 - 0.09 0.3 0.02
`
